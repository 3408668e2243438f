import { expect, it } from 'vitest'
import { findInjections } from './find-injections.ts'
import { scanContent, findPersonalData } from './scan-content.ts'

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

it.each([
  ['e-mail address', 'ask jane.doe@acme-corp.io'],
  ['phone number', 'call +44 20 7946 0958 now'],
  ['social security number', 'SSN 123-45-6789'],
  ['payment card', 'card 5500 0055 5555 5559'],
  ['bank account', 'pay to DE89 3704 0044 0532 0130 00'],
  ['home folder of a person', 'in /home/janedoe/project'],
  ['home folder of a person', String.raw`in C:\Users\JaneDoe\project`],
])('finds a %s', (type, text) => {
  expect(findPersonalData(text)).toEqual([type])
})

it.each([
  'user@example.com and git@github.com:org/repo.git',
  'noreply@github.com',
  'version 1.2.3+45 of 2024-01-02',
  'listens on 127.0.0.1:5432',
  'in /home/runner/work and /home/node/app',
  'id 3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c',
  'timestamp 1700000000000',
  'npm install @types/node@20.1.0',
  'pip install package==1.2.3',
])('is not alarmed by %s', (text) => {
  expect(findPersonalData(text)).toEqual([])
})
