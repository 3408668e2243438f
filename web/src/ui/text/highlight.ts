export interface CodePart {
  readonly kind: 'plain' | 'comment' | 'string' | 'keyword' | 'number'
  readonly text: string
}

/** Keywords that many languages share; good enough for a few lines of any of them. */
const KEYWORDS =
  'abstract|as|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|end|enum|except|export|extends|extern|final|finally|fn|for|from|func|function|go|if|impl|implements|import|in|interface|is|lambda|let|match|module|mut|namespace|new|not|null|or|package|pass|private|protected|pub|public|raise|readonly|return|self|static|struct|super|switch|this|throw|throws|trait|try|type|union|unless|use|using|val|var|void|when|where|while|with|yield|true|false|None|True|False|nil|undefined'

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/.*|(?:^|(?<=\s))#.*|--\s.*|\/\*.*?(?:\*\/|$)|^\s*\*.*)`,
    String.raw`(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'|${'`'}(?:[^${'`'}\\]|\\.)*${'`'}?)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
    String.raw`(?<number>\b\d[\w.]*)`,
  ].join('|'),
  'g',
)

/** Splits one line of source into parts of one colour. Long lines are not split. */
export function highlight(line: string): CodePart[] {
  if (line.length > 500) return [{ kind: 'plain', text: line }]
  const parts: CodePart[] = []
  let end = 0
  for (const found of line.matchAll(TOKEN)) {
    if (found.index > end) parts.push({ kind: 'plain', text: line.slice(end, found.index) })
    parts.push({ kind: kindOf(found.groups ?? {}), text: found[0] })
    end = found.index + found[0].length
  }
  if (end < line.length) parts.push({ kind: 'plain', text: line.slice(end) })
  return parts
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): CodePart['kind'] {
  const kinds = ['comment', 'string', 'keyword', 'number'] as const
  return kinds.find((kind) => groups[kind] !== undefined) ?? 'plain'
}
