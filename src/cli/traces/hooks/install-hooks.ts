import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { GatewayError } from '../../../gateway/errors.ts'
import { replaceFile } from '../../../base/files/replace-file.ts'
import { HOOKS } from './hooks-table.ts'

const entry = z.looseObject({
  matcher: z.string().optional(),
  hooks: z.array(z.looseObject({ command: z.string().optional() })).default([]),
})
const settings = z.looseObject({ hooks: z.record(z.string(), z.array(entry)).default({}) })

/** Identifies our entries: no other command contains this. */
const MARK = ' traces hook '

export interface HookProgram {
  readonly command?: string
  /** The data folder, if it is not the default, as Claude Code's environment may lack it. */
  readonly home?: string | undefined
}

/** Adds the hooks to a Claude Code settings file, once; keeps everything else in it. */
export async function installHooks(
  settingsFile: string,
  { command = 'npx portolan', home }: HookProgram = {},
): Promise<void> {
  const found = without(await load(settingsFile))
  const place = home ? ` ${JSON.stringify(home)}` : ''
  for (const { event, matcher, seconds } of HOOKS) {
    const own = {
      ...(matcher !== undefined && { matcher }),
      hooks: [{ type: 'command', command: `${command}${MARK}${event}${place}`, timeout: seconds }],
    }
    found.hooks[event] = [...(found.hooks[event] ?? []), own]
  }
  save(settingsFile, found)
}

export async function uninstallHooks(settingsFile: string): Promise<void> {
  save(settingsFile, without(await load(settingsFile)))
}

type Settings = z.output<typeof settings>

function without(found: Settings): Settings {
  const hooks = Object.entries(found.hooks).map(([event, entries]) => {
    const others = entries.map((each) => ({
      ...each,
      hooks: each.hooks.filter(({ command }) => !command?.includes(MARK)),
    }))
    return [event, others.filter((each) => each.hooks.length > 0)] as const
  })
  return { ...found, hooks: Object.fromEntries(hooks.filter(([, entries]) => entries.length > 0)) }
}

async function load(file: string): Promise<Settings> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  try {
    return settings.parse(JSON.parse(text))
  } catch (error) {
    throw new GatewayError('INVALID_PARAMS', `${file} is not a settings file that can be changed`, {
      hint: 'Fix it first: it must be JSON, and "hooks", if present, must be an object.',
      cause: error,
    })
  }
}

function save(file: string, content: Settings): void {
  replaceFile(file, `${JSON.stringify(content, null, 2)}\n`)
}
