export interface Line {
  readonly kind: 'note' | 'call' | 'answer' | 'refusal'
  readonly text: string
}

const COLUMNS = 104
const LINE_HEIGHT = 21
const CHARACTER = 8.4
const MARGIN = 20

const INDENTS = { note: 0, call: 0, answer: 2, refusal: 2 } as const
const COLOURS = { note: '#8fa3ad', call: '#e8c468', answer: '#d7e0e2', refusal: '#f08a7a' } as const

/** Draws terminal lines as an SVG with the reader's own fonts; long lines are cut. */
export function drawTerminal(lines: readonly Line[]): string {
  const rows = lines.flatMap((line, n) =>
    line.kind === 'call' && n > 0 ? [undefined, line] : [line],
  )
  const width = Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN
  const height = rows.length * LINE_HEIGHT + 2 * MARGIN
  const text = rows.map((line, n) => (line ? draw(line, MARGIN + (n + 0.75) * LINE_HEIGHT) : ''))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="An agent finds a tool through Portolan, calls it, and is refused another one">
<rect width="100%" height="100%" rx="10" fill="#16232b"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${text.filter((part) => part !== '').join('\n')}
</g>
</svg>
`
}

function draw({ kind, text }: Line, y: number): string {
  const indent = INDENTS[kind]
  const whole = kind === 'call' ? `● ${text}` : text
  const most = COLUMNS - indent
  const shown = whole.length > most ? `${whole.slice(0, most - 1)}…` : whole
  return `<text x="${MARGIN + indent * CHARACTER}" y="${y}" fill="${COLOURS[kind]}">${escape(shown)}</text>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
