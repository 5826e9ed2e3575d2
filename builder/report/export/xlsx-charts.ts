/**
 * Charts of a workbook (ECMA-376 §21.2): drawn by the program that opens it, from cells of the sheet. The figures are repeated beside
 * each reference, for readers that draw without calculating.
 */
import { escaped, lettersOfColumn, serialOf } from './xlsx-cells.ts'

/** A column of figures, as a chart draws it. The cells lie below {@link head}. */
export interface ChartSeries {
  readonly name: string
  /** The column of the figures, counted from 0. */
  readonly column: number
  readonly as: 'bars' | 'line'
  /** `RRGGBB` */
  readonly color: string
  /** Decimal text, one for each month. */
  readonly values: readonly string[]
}

export interface SheetChart {
  readonly title: string
  /** What it shows, for those who do not see it. */
  readonly description: string
  /** The row of the names of the columns, counted from 1; the figures stand in the rows below it, the days in the first column. */
  readonly head: number
  /** The last day of each month, `YYYY-MM-DD`. */
  readonly days: readonly string[]
  readonly series: readonly ChartSeries[]
  /** The number format of the axis of values. */
  readonly format: string
  /** The cell at the upper left corner, counted from 0, and how far right of its left edge the chart begins, in pixels. */
  readonly at: { readonly column: number; readonly row: number; readonly right: number }
  /** In pixels. */
  readonly size: { readonly width: number; readonly height: number }
}

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PIXEL = 9525
const GREY = 'D9D9D9'
const MONTH = 'mmm yyyy'
const AXES = '<c:axId val="1"/><c:axId val="2"/>'

/** Content of a drawing part: where each chart lies on the sheet. The relationship `rId1` is the first chart. */
export function drawingXml(charts: readonly SheetChart[]): string {
  const anchors = charts.map(
    ({ title, description, at, size }, i) =>
      `<xdr:oneCellAnchor><xdr:from><xdr:col>${at.column}</xdr:col><xdr:colOff>${at.right * PIXEL}</xdr:colOff><xdr:row>${at.row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx="${size.width * PIXEL}" cy="${size.height * PIXEL}"/><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${i + 2}" name="${escaped(title)}" descr="${escaped(description)}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" xmlns:r="${RELATIONS}" r:id="rId${i + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor>`,
  )
  return `<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main">${anchors.join('')}</xdr:wsDr>`
}

/** Content of a chart part. `sheet` is the name of the sheet as formulas write it. */
export function chartXml(chart: SheetChart, sheet: string): string {
  const drawn = (as: ChartSeries['as']) =>
    chart.series
      .flatMap((series, i) => (series.as === as ? [seriesXml(series, i, chart, sheet)] : []))
      .join('')
  const [bars, lines] = [drawn('bars'), drawn('line')]
  const plots = [
    bars === ''
      ? ''
      : `<c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>${bars}<c:gapWidth val="60"/>${AXES}</c:barChart>`,
    lines === ''
      ? ''
      : `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${lines}<c:marker val="1"/>${AXES}</c:lineChart>`,
  ]
  const title = `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1100" b="1"/></a:pPr><a:r><a:rPr lang="en" sz="1100" b="1"/><a:t>${escaped(chart.title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`
  const legend =
    chart.series.length === 1 ? '' : '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>'
  return `<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main"><c:roundedCorners val="0"/><c:chart>${title}<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plots.join('')}${axes(chart.format)}</c:plotArea>${legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln><a:noFill/></a:ln></c:spPr></c:chartSpace>`
}

function seriesXml(
  { name, column, as, color, values }: ChartSeries,
  i: number,
  chart: SheetChart,
  sheet: string,
): string {
  const { head, days } = chart
  const cells = (column: number) => {
    const letters = lettersOfColumn(column)
    return `${sheet}!$${letters}$${head + 1}:$${letters}$${head + days.length}`
  }
  const fill = `<a:solidFill><a:srgbClr val="${color}"/></a:solidFill>`
  const look =
    as === 'bars'
      ? `<c:spPr>${fill}</c:spPr><c:invertIfNegative val="0"/>`
      : `<c:spPr><a:ln w="25400">${fill}</a:ln></c:spPr><c:marker><c:symbol val="circle"/><c:size val="5"/><c:spPr>${fill}<a:ln>${fill}</a:ln></c:spPr></c:marker>`
  const figures = (column: number, texts: readonly string[], format: string) =>
    `<c:numRef><c:f>${escaped(cells(column))}</c:f><c:numCache><c:formatCode>${escaped(format)}</c:formatCode><c:ptCount val="${texts.length}"/>${texts.map((text, at) => `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`).join('')}</c:numCache></c:numRef>`
  const serials = days.map((day) => String(serialOf(day) ?? 0))
  return `<c:ser><c:idx val="${i}"/><c:order val="${i}"/><c:tx><c:strRef><c:f>${escaped(`${sheet}!$${lettersOfColumn(column)}$${head}`)}</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>${escaped(name)}</c:v></c:pt></c:strCache></c:strRef></c:tx>${look}<c:cat>${figures(0, serials, MONTH)}</c:cat><c:val>${figures(column, values, chart.format)}</c:val>${as === 'line' ? '<c:smooth val="0"/>' : ''}</c:ser>`
}

/** Labels of months stand at the foot, also where figures are negative. */
function axes(format: string): string {
  const line = (color: string) =>
    `<c:spPr><a:ln w="9525"><a:solidFill><a:srgbClr val="${color}"/></a:solidFill></a:ln></c:spPr>`
  const ticks = '<c:majorTickMark val="none"/><c:minorTickMark val="none"/>'
  const begin = (id: number, place: string) =>
    `<c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="${place}"/>`
  return [
    `<c:dateAx>${begin(1, 'b')}<c:numFmt formatCode="${MONTH}" sourceLinked="0"/>${ticks}<c:tickLblPos val="low"/>${line('7F7F7F')}<c:crossAx val="2"/><c:crosses val="autoZero"/><c:auto val="1"/><c:lblOffset val="100"/><c:baseTimeUnit val="months"/></c:dateAx>`,
    `<c:valAx>${begin(2, 'l')}<c:majorGridlines>${line(GREY)}</c:majorGridlines><c:numFmt formatCode="${escaped(format)}" sourceLinked="0"/>${ticks}<c:tickLblPos val="nextTo"/><c:spPr><a:ln><a:noFill/></a:ln></c:spPr><c:crossAx val="1"/><c:crosses val="autoZero"/><c:crossBetween val="between"/></c:valAx>`,
  ].join('')
}
