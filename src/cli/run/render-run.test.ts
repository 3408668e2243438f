import { expect, it } from 'vitest'
import { readReport, renderRun } from './render-run.ts'

const plain = (_style: unknown, text: string) => text

const call = (tool: string, outcome: string, more = {}) => ({
  id: `call-${tool}`,
  tool,
  outcome,
  after_ms: 0,
  ...more,
})

function render(calls: unknown[]): string {
  const report = readReport({ id: 'run', duration_ms: 1234, tokens: 2100, calls })
  return report ? renderRun(report, plain) : 'nothing'
}

it('shows each call with its time, its outcome and its tokens', () => {
  const calls = [
    call('sheep.search', 'ok', { duration_ms: 45.4, tokens: 2100 }),
    call('mail.send', 'planned'),
    call('sheep.get', 'running'),
  ]
  expect(render(calls)).toBe(
    [
      '3 calls in 1.2 s, about 2,100 tokens stayed in the gateway',
      '├─ sheep.search     45 ms  ok  2,100 tokens',
      '├─ mail.send               planned, not sent',
      '└─ sheep.get               not answered',
    ].join('\n'),
  )
})

it('shows a bounded number of calls, and says how many more there were', () => {
  const lines = render(Array.from({ length: 1000 }, () => call('a.b', 'ok'))).split('\n')
  expect(lines).toHaveLength(202)
  expect(lines.at(-1)).toBe('… 800 more calls')
  expect(render([call('a.b', 'ok')]).split('\n')).toHaveLength(2)
})

it('shows what a saved script called below it', () => {
  const calls = [
    call('scripts.count', 'ok', {
      calls: [call('sheep.search', 'ok'), call('sheep.get', 'failed')],
    }),
    call('mail.send', 'ok'),
  ]
  expect(render(calls).split('\n').slice(1)).toEqual([
    '├─ scripts.count              ok',
    '│  ├─ sheep.search            ok',
    '│  └─ sheep.get               failed',
    '└─ mail.send                  ok',
  ])
})

it('takes no report that it does not understand', () => {
  expect(render([call('a.b', 'odd')])).toBe('nothing')
})
