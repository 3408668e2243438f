import { createInterface } from 'node:readline/promises'
import { stripVTControlCharacters } from 'node:util'
import { hasCode } from '../../../base/errors.ts'
import { visible } from '../../../base/text/visible.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { drawingOn } from './guard-terminal.ts'
import { createPaint } from './paint.ts'

/** Output and questions of a command: coloured on a terminal, plain text elsewhere. */
export interface Terminal {
  readonly paint: ReturnType<typeof createPaint>
  /** Whether a person can answer questions. */
  readonly canAsk: boolean
  readonly line: (text?: string) => void
  /** A table whose columns line up; cells may be coloured. */
  readonly table: (rows: readonly (readonly string[])[], indent?: string) => void
  readonly confirm: (question: string, otherwise: boolean) => Promise<boolean>
  readonly ask: (question: string, otherwise: string) => Promise<string>
}

export function createTerminal(output: NodeJS.WriteStream = process.stdout): Terminal {
  const line: Terminal['line'] = (text = '') => void output.write(`${text}\n`)
  const paint = createPaint()
  async function ask(question: string, otherwise: string): Promise<string> {
    const reader = createInterface({ input: process.stdin, output: drawingOn(process.stderr) })
    try {
      const answer = await reader.question(`${paint('cyan', '?')} ${visible(question)} `)
      return answer.trim() === '' ? otherwise : answer.trim()
    } catch (error) {
      if (!hasCode(error, 'ABORT_ERR')) throw error
      throw new GatewayError('INVALID_PARAMS', 'The question was not answered', {
        hint: 'Nothing was changed after it.',
        cause: error,
      })
    } finally {
      reader.close()
    }
  }
  return {
    paint,
    line,
    canAsk: process.stdin.isTTY && process.stderr.isTTY,
    table(rows, indent = '  ') {
      const widths: number[] = []
      for (const row of rows)
        for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell))
      for (const row of rows) {
        const cells = row.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - width(cell)))
        line((indent + cells.join('  ')).trimEnd())
      }
    },
    ask,
    async confirm(question, otherwise) {
      const answer = await ask(
        `${question} ${otherwise ? '[Y/n]' : '[y/N]'}`,
        otherwise ? 'y' : 'n',
      )
      return /^y/i.test(answer)
    },
  }
}

/** Formats as `1,234,567`, whatever the machine's locale. */
export function number(value: number): string {
  return value.toLocaleString('en')
}

export function count(amount: number, noun: string): string {
  return `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** Returns the width without the escape sequences of colours. */
function width(cell: string): number {
  return stripVTControlCharacters(cell).length
}
