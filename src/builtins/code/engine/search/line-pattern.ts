import { escapeRegExp } from '../../../../base/text/escape-regexp.ts'
import { requiredLiteral } from './required-literal.ts'

/** The pattern that a search looks for in each line of a file. */
export interface LinePattern {
  readonly pattern: RegExp
  /** A text that every match contains; files without it are skipped. */
  readonly literal?: string
  /** Whether the pattern itself contains line ends, so that a match may span several lines. */
  readonly spansLines: boolean
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Checks and compiles a user's pattern; if `isRegex` is false, the text is matched literally. */
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

/** `\n`, and the usual character classes for "any character, including line ends". */
const SPANS_LINES = /\\n|\[\\s\\S\]|\[\\S\\s\]|\[\\w\\W\]|\[\\d\\D\]|\[\^\]/

/** Translates syntax of grep and ripgrep, for which patterns are often written, to JavaScript. */
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
