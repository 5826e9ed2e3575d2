/** Delimited text and its rows below the header, by the one rule of quotes; null where it is refused instead. */
export interface RecordCase {
  readonly name: string
  readonly text: string
  readonly delimiter?: string
  /** Without blank rows, which count and hold nothing. */
  readonly rows: readonly (readonly [row: number, ...cells: string[]])[] | null
}

export const RECORD_CASES: readonly RecordCase[] = [
  { name: 'a doubled quote', text: 'a,b\n"x ""y""",2\n', rows: [[2, 'x "y"', '2']] },
  {
    name: 'a text as a formula',
    text: 'a,b\n="0100",2\n"=""0200""","=""x"\n',
    rows: [
      [2, '0100', '2'],
      [3, '0200', '="x'],
    ],
  },
  {
    name: 'a second byte order mark',
    text: 'a,b\n1,2\n\ufeff3,4\n\ufeff"5",6\n',
    rows: [
      [2, '1', '2'],
      [3, '3', '4'],
      [4, '5', '6'],
    ],
  },
  { name: 'a cell of one quote', text: 'a,b\n"""",2\n', rows: [[2, '"', '2']] },
  { name: 'an inch mark', text: 'a,b\n19" rack,2\n', rows: [[2, '19" rack', '2']] },
  { name: 'quotes in the middle of a cell', text: 'a,b\n19" "rack",2\n', rows: [[2, '19" "rack"', '2']] },
  {
    name: 'a line end inside of quotes',
    text: 'a,b\n"x\ny",2\n3,4\n',
    rows: [
      [2, 'x\ny', '2'],
      [3, '3', '4'],
    ],
  },
  { name: 'CR LF inside of quotes', text: 'a,b\r\n"x\r\ny",2\r\n', rows: [[2, 'x\r\ny', '2']] },
  { name: 'a delimiter inside of quotes', text: 'a,b\n"x,y",2\n', rows: [[2, 'x,y', '2']] },
  { name: 'a quote that never closes', text: 'a,b\n1,2\n"x,2\n3,4\n', rows: null },
  { name: 'text after a closing quote', text: 'a,b\n"x"y,2\n3,4\n', rows: null },
  { name: 'quotes after a closing quote', text: 'a,b\n"x"y"z",2\n3,4\n', rows: null },
  { name: 'blanks after a closing quote', text: 'a,b\n"x"  ,2\n', rows: [[2, 'x', '2']] },
  {
    name: 'a blank before a quote',
    text: 'a,b\n1, "x\ny"\n3,4\n',
    rows: [
      [2, '1', 'x\ny'],
      [3, '3', '4'],
    ],
  },
  {
    name: 'blanks before a quote',
    text: 'a,b\n1,   "x\ny"\n  "p,q",4\n',
    rows: [
      [2, '1', 'x\ny'],
      [3, 'p,q', '4'],
    ],
  },
  { name: 'a tab before a quote', text: 'a,b\n1,\t"x,y"\n', rows: [[2, '1', 'x,y']] },
  { name: 'a tab and a blank before a quote', text: 'a,b\n1,\t "x,y"\n', rows: [[2, '1', 'x,y']] },
  {
    name: 'CR alone',
    text: 'a,b\r1,2\r"x\ry",3\r',
    rows: [
      [2, '1', '2'],
      [3, 'x\ry', '3'],
    ],
  },
  { name: 'the mark of the encoding', text: '\ufeffa,b\n1,2\n', rows: [[2, '1', '2']] },
  { name: 'an empty last line', text: 'a,b\n1,2\n\n', rows: [[2, '1', '2']] },
  {
    name: 'an empty line between',
    text: 'a,b\n1,2\n\n3,4\n',
    rows: [
      [2, '1', '2'],
      [4, '3', '4'],
    ],
  },
  { name: 'no last line end', text: 'a,b\n1,2', rows: [[2, '1', '2']] },
  { name: 'a backslash before a quote', text: 'a,b\n"x\\",2\n', rows: [[2, 'x\\', '2']] },
  { name: 'tabs', text: 'a\tb\n"x\ty"\t "2"\n', delimiter: '\t', rows: [[2, 'x\ty', '2']] },
  { name: 'semicolons', text: 'a;b\n"x;y";1,50\n', delimiter: ';', rows: [[2, 'x;y', '1,50']] },
  { name: 'pipes', text: 'a|b\n"x|y"|2\n', delimiter: '|', rows: [[2, 'x|y', '2']] },
]
