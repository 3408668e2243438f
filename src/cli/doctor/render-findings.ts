import { type Terminal, count } from '../shared/terminal/terminal.ts'
import type { Finding } from './finding.ts'

const MARKS = {
  ok: ['green', '✓'],
  warn: ['yellow', '⚠'],
  fail: ['red', '✗'],
} as const

export function renderFindings(found: readonly Finding[], { line, paint }: Terminal): void {
  for (const { area, status, message, details = [], fix } of found) {
    const [colour, mark] = MARKS[status]
    line(`${paint(colour, mark)} ${paint('gray', area.padEnd(9))} ${message}`)
    for (const detail of details) line(`  ${' '.repeat(9)} ${paint('gray', `│ ${detail}`)}`)
    if (fix !== undefined) line(`  ${' '.repeat(9)} ${paint('cyan', '→')} ${fix}`)
  }
  const broken = found.filter(({ status }) => status === 'fail').length
  const odd = found.filter(({ status }) => status === 'warn').length
  line(
    broken > 0
      ? paint('red', `\n${broken} broken, ${count(odd, 'warning')}`)
      : paint(
          'green',
          odd > 0 ? `\nNothing is broken, ${count(odd, 'warning')}` : '\nEverything is OK',
        ),
  )
}
