import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, it } from 'vitest'
import { createProgram } from '../../program.ts'
import { Command } from '../commander.ts'
import { durationOption, parsePast } from './option-values.ts'

/** All commands, with those that are part of another. */
const withParts = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(withParts),
]

it('a duration has a default in milliseconds, which help shows as it is typed', () => {
  const command = new Command('x').addOption(durationOption('--ttl <duration>', 'how long', '15m'))
  expect(command.opts()).toEqual({ ttl: 900_000 })
  expect(command.helpInformation()).toContain('how long (default: 15m)')
})

it('what help shows as a default may be typed, for every option of every command', async () => {
  for (const command of withParts(await createProgram()))
    for (const { parseArg, defaultValue, defaultValueDescription, long } of command.options) {
      if (defaultValue === undefined || typeof parseArg !== 'function') continue
      const typed = defaultValueDescription ?? String(defaultValue)
      const read = () => parseArg(typed, undefined)
      expect(read, `${command.name()} ${long} ${typed}`).not.toThrow()
    }
})

it('a moment in the past is a duration or a date, and the message names both', () => {
  expect(parsePast('2026-01-31')).toBe(Date.parse('2026-01-31'))
  expect(() => parsePast('2026-13-45')).toThrow(/duration such as .* or a date such as/)
})
