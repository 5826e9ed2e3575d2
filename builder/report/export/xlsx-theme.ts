/**
 * The theme of a workbook (ECMA-376, §20.1.6.9), which names the colours and fonts that a reader is offered. Cells name
 * their own; the part is there because Microsoft's validation of Open XML asks for it.
 */

/** Office's own colours, so that what a reader adds looks as usual. */
const COLOURS = {
  dk1: '000000',
  lt1: 'FFFFFF',
  dk2: '44546A',
  lt2: 'E7E6E6',
  accent1: '4472C4',
  accent2: 'ED7D31',
  accent3: 'A5A5A5',
  accent4: 'FFC000',
  accent5: '5B9BD5',
  accent6: '70AD47',
  hlink: '0563C1',
  folHlink: '954F72',
}

const NAMESPACE = 'http://schemas.openxmlformats.org/drawingml/2006/main'

/** Content of `xl/theme/theme1.xml`. Each list of the format scheme has the three entries that the schema asks for. */
export function themeXml(): string {
  const colours = Object.entries(COLOURS).map(
    ([name, rgb]) => `<a:${name}><a:srgbClr val="${rgb}"/></a:${name}>`,
  )
  const font = (use: string) =>
    `<a:${use}Font><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:${use}Font>`
  const fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
  const thrice = (name: string, entry: string) => `<a:${name}>${entry.repeat(3)}</a:${name}>`
  const formats = [
    thrice('fillStyleLst', fill),
    thrice('lnStyleLst', `<a:ln w="9525">${fill}</a:ln>`),
    thrice('effectStyleLst', '<a:effectStyle><a:effectLst/></a:effectStyle>'),
    thrice('bgFillStyleLst', fill),
  ]
  return `<a:theme xmlns:a="${NAMESPACE}" name="Office"><a:themeElements><a:clrScheme name="Office">${colours.join('')}</a:clrScheme><a:fontScheme name="Office">${font('major')}${font('minor')}</a:fontScheme><a:fmtScheme name="Office">${formats.join('')}</a:fmtScheme></a:themeElements></a:theme>`
}
