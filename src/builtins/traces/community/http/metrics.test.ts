import { expect, it } from 'vitest'
import { Metrics } from './metrics.ts'

it('renders counters and durations, those of one name together', () => {
  const metrics = new Metrics()
  metrics.count('b_total', { status: '200' })
  metrics.count('a_total')
  metrics.count('b_total', { status: '404' }, 2)
  metrics.count('b_total', { status: '200' })
  metrics.time('read_seconds', { route: '/' }, 0.15)
  metrics.time('read_seconds', { route: '/' }, 3)
  const text = metrics.render()
  expect(text.split('\n').slice(0, 5)).toEqual([
    '# TYPE a_total counter',
    'a_total 1',
    '# TYPE b_total counter',
    'b_total{status="200"} 2',
    'b_total{status="404"} 2',
  ])
  expect(text).toContain(
    '# TYPE read_seconds histogram\nread_seconds_bucket{route="/",le="0.005"} 0',
  )
  expect(text).toContain('read_seconds_bucket{route="/",le="0.2"} 1\n')
  expect(text).toContain('read_seconds_bucket{route="/",le="+Inf"} 2\n')
  expect(text).toContain('read_seconds_sum{route="/"} 3.15\nread_seconds_count{route="/"} 2\n')
})

it('keeps labels apart that differ in a character to be escaped', () => {
  const metrics = new Metrics()
  metrics.count('a_total', { text: 'say "hi"\\\n' })
  metrics.count('a_total', { text: 'say _hi___' })
  expect(metrics.render()).toContain('a_total{text="say \\"hi\\"\\\\\\n"} 1\n')
  expect(metrics.render()).toContain('a_total{text="say _hi___"} 1\n')
})
