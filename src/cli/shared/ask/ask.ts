import type { JsonObject } from '../../../base/json/json.ts'
import { type ConfigOptions, toLoadOptions } from '../config-options.ts'

/** One request and its caller. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
  readonly agent: string | undefined
  /** The value of PORTOLAN_KEY. */
  readonly key: string | undefined
}

export interface AskFlags extends ConfigOptions {
  readonly own?: true
}

/** Asks the running gateway, which has its servers started already, or else starts a gateway. */
export async function ask(question: Question, flags: AskFlags): Promise<JsonObject> {
  const load = toLoadOptions(flags)
  if (!flags.own) {
    const [{ loadConfig }, { withStoredConfig }, { askRunning }] = await Promise.all([
      import('../../../config/load.ts'),
      import('../with-database.ts'),
      import('./ask-running.ts'),
    ])
    const asked = await askRunning(loadConfig(await withStoredConfig(load)), question)
    if (asked) {
      process.stderr.write(`Answered by the gateway at ${asked.url}\n`)
      return asked.result
    }
  }
  const { askOwn } = await import('./ask-own.ts')
  const result = await askOwn(load, question)
  // This is the usual case, so scripts are spared the message.
  if (process.stderr.isTTY)
    process.stderr.write('Answered by a gateway that was started for this call\n')
  return result
}
