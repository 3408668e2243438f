import { escapeRegExp } from '../../../../base/text/escape-regexp.ts'
import { requiredLiteral } from './required-literal.ts'

/** What a search looks for in each line of a file. */
export interface LinePattern {
  readonly pattern: RegExp
  /** A text every match contains: files without it are not searched further. */
  readonly literal?: string
  /** The pattern itself asks for line ends, so that a match may reach over several lines. */
  readonly spansLines: boolean
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** A pattern of the user, checked; `literal` texts are matched as they are. */
export function toLinePattern(text: string, isRegex: boolean): LinePattern {
  if (!isRegex) {
    const pattern = new RegExp(escapeRegExp(text), 'g')
    return { pattern, literal: text, spansLines: text.includes('\n') }
  }
  const { source, flags } = toJavaScript(text)
  try {
    const literal = flags.includes('i') ? undefined : requiredLiteral(source)
    return {
      pattern: new RegExp(source, `gm${flags}`),
      ...(literal !== undefined && { literal }),
      spansLines: SPANS_LINES.test(source),
    }
  } catch (error) {
    throw new PatternError(`Not a valid regular expression: ${String(error)}`, { cause: error })
  }
}

/** `\n`, and the classes that people write for "anything, line ends too". */
const SPANS_LINES = /\\n|\[\\s\\S\]|\[\\S\\s\]|\[\\w\\W\]|\[\\d\\D\]|\[\^\]/

/** Patterns are often written for grep or ripgrep, which know a few things by other names. */
function toJavaScript(text: string): { source: string; flags: string } {
  const [leading = '', letters = ''] = /^\(\?([imsu]+)\)/.exec(text) ?? []
  const source = text
    .slice(leading.length)
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX_CLASSES[name] ?? whole)
  const flags = [letters.includes('i') && 'i', /\\[pP]\{/.test(source) && 'u']
  return { source, flags: flags.filter(Boolean).join('') }
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
}
