/** One thing a reader does: write a file, or type a command and look at what it prints. */
export type Step =
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  | {
      readonly kind: 'command'
      readonly command: string
      /** What the document says it prints; `…` stands for anything. */
      readonly expected: readonly string[]
      /** Where that stands: its first line, counted from 0, and how many lines. */
      readonly at: number
    }

export interface Document {
  readonly steps: readonly Step[]
  /** Variables the reader needs, from comments such as `<!-- run with PORTOLAN_DATABASE_URL -->`. */
  readonly needs: readonly string[]
  /** Commands that are shown but not run, each with the reason the document gives. */
  readonly unrun: readonly { readonly text: string; readonly reason: string | undefined }[]
}

interface Block {
  readonly info: string
  readonly lines: readonly string[]
  /** The line of its first content. */
  readonly at: number
}

const SHELLS = new Set(['console', 'sh', 'bash', 'shell', 'zsh'])

/**
 * Reads a document as a reader would follow it. A `console` block is typed, line by line after `$ `;
 * a block with `title="name"` is saved under that name; a shell block with `norun="why"` is skipped.
 */
export function parseDocument(text: string): Document {
  const steps: Step[] = []
  const unrun: Document['unrun'][number][] = []
  for (const block of blocksOf(text)) {
    const [language = ''] = block.info.split(/\s/, 1)
    const title = attribute(block.info, 'title')
    const reason = attribute(block.info, 'norun')
    if (title !== undefined)
      steps.push({ kind: 'file', path: title, content: `${block.lines.join('\n')}\n` })
    else if (language === 'console' && reason === undefined) steps.push(...commandsOf(block))
    else if (SHELLS.has(language) || looksTyped(block))
      unrun.push({ text: block.lines.join('\n'), reason })
  }
  const needs = [...text.matchAll(/<!-- run with (\w+) -->/g)].map(([, name = '']) => name)
  return { steps, needs, unrun }
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: { info: string; lines: string[]; at: number } | undefined
  for (const [number, line] of text.split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line)
    else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { info: line.slice(3), lines: [], at: number + 1 }
  }
  return blocks
}

function commandsOf({ lines, at }: Block): Step[] {
  const steps: { kind: 'command'; command: string; expected: string[]; at: number }[] = []
  let continues = false
  for (const [offset, line] of lines.entries()) {
    const last = steps.at(-1)
    if (continues && last) last.command += `\n${line}`
    else if (line.startsWith('$ '))
      steps.push({ kind: 'command', command: line.slice(2), expected: [], at: 0 })
    else last?.expected.push(line)
    continues = line.endsWith('\\') && (continues || line.startsWith('$ '))
    const current = steps.at(-1)
    if (current && current.expected.length === 0) current.at = at + offset + 1
  }
  return steps
}

/** Commands in a block that does not say what it is would never be run. */
function looksTyped({ info, lines }: Block): boolean {
  return (
    info.trim() === '' && lines.some((line) => /^(?:\$ )?(?:portolan|npm|npx|curl) /.test(line))
  )
}

function attribute(info: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(info)?.[1]
}
