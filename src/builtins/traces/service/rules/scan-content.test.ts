import { expect, it } from 'vitest'
import { findInjections } from './find-injections.ts'
import { scanContent } from './scan-content.ts'

it.each(['a', 'a.', 'eyJ-', 'password ', '://', 'ab@', 'ignore all ', '\u200b', '4 '])(
  'takes no longer for 50,000 characters of "%s"',
  (unit) => {
    const text = unit.repeat(50_000 / unit.length)
    // Processor time: the clock on the wall also counts what else the machine does.
    const started = process.cpuUsage()
    scanContent({ text })
    findInjections(text)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
  },
)
