import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { GatewayError } from '../../../gateway/errors.ts'
import type { Environment } from '../../../base/environment.ts'
import { MOVE_ON_VARIABLE } from '../../../builtins/traces/common-trace-names.ts'
import { replaceFile } from '../../../base/files/replace-file.ts'
import { homeOf } from '../connect-traces.ts'

/** Settings that an earlier version had are dropped when the file is read. */
const config = z.object({
  /** Contribute without asking each time. */
  auto_contribute: z.boolean().default(false),
  /** Contribute in the background when the user moves on to another task. */
  auto_contribute_on_move_on: z.boolean().default(false),
  /** Regular expressions that recognise a prompt that moves on. */
  move_on_patterns: z
    .array(z.string())
    .default(['next task', 'move on to the next', 'on to the next task']),
  /** Suggest a trailer for the commit of a fix that a trace helped to find. */
  resolved_with_trailer: z.boolean().default(true),
  /** Ask the package registry once a day whether there is a newer Portolan. */
  update_check: z.boolean().default(false),
})
export type HookConfig = z.output<typeof config>

const HOOK_SETTINGS = Object.keys(config.shape)

/** The settings of the hooks on this machine; the environment overrides them. */
export async function loadHookConfig(env: Environment): Promise<HookConfig> {
  const text = await readFile(fileOf(env), 'utf8').catch(() => '{}')
  const stored = config.parse(JSON.parse(text))
  return {
    ...stored,
    auto_contribute_on_move_on: flag(env[MOVE_ON_VARIABLE]) ?? stored.auto_contribute_on_move_on,
  }
}

/** Changes one setting to a value as people write it: true, 5, or a JSON list. */
export async function saveHookSetting(
  env: Environment,
  name: string,
  value: string,
): Promise<HookConfig> {
  if (!HOOK_SETTINGS.includes(name))
    throw new GatewayError('INVALID_PARAMS', `The hooks have no setting "${name}"`, {
      hint: `Choose one of ${HOOK_SETTINGS.join(', ')}.`,
    })
  const text = await readFile(fileOf(env), 'utf8').catch(() => '{}')
  const changed = config.safeParse({ ...JSON.parse(text), [name]: toValue(value) })
  if (!changed.success)
    throw new GatewayError('INVALID_PARAMS', `${name} cannot be ${value}`, {
      hint: changed.error.issues.map(({ message }) => message).join('; '),
      cause: changed.error,
    })
  replaceFile(fileOf(env), `${JSON.stringify(changed.data, null, 2)}\n`, 0o600)
  return changed.data
}

function fileOf(env: Environment): string {
  return join(homeOf(env), 'hooks', 'config.json')
}

function flag(value: string | undefined): boolean | undefined {
  return value ? value === 'true' || value === '1' : undefined
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
