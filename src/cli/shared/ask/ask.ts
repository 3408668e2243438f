import type { JsonObject } from '../../../base/json/json.ts'
import type { Config } from '../../../config/load.ts'
import { type ConfigOptions, toLoadOptions } from '../config-options.ts'

/** One request and its caller. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
  readonly agent: string | undefined
  /** The client to call as, by its name in the handshake. */
  readonly client?: string | undefined
  readonly key: string | undefined
}

export interface AskFlags extends ConfigOptions {
  readonly own?: true
  /** The MCP endpoint of a gateway anywhere. */
  readonly url?: string
}

/** Asks the running gateway, which has its servers started already, or else starts a gateway. */
export async function ask(asking: Question, flags: AskFlags): Promise<JsonObject> {
  // Set for the commands that `portolan record` and `replay` start.
  const url = flags.url ?? (flags.own ? undefined : process.env['PORTOLAN_URL'])
  if (url !== undefined) {
    const { askElsewhere } = await import('./ask-endpoint.ts')
    return askElsewhere(url, asking)
  }
  const [{ loadConfig }, { withStoredConfig }] = await Promise.all([
    import('../../../config/load.ts'),
    import('../with-database.ts'),
  ])
  const load = toLoadOptions(flags)
  const config = loadConfig(await withStoredConfig(load))
  const question = await asCaller(asking, config, flags)
  if (!flags.own) {
    const { askRunning } = await import('./ask-running.ts')
    const asked = await askRunning(config, question)
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

/** With the name of a client that the rules do not name, the call is as that client makes it. */
async function asCaller(question: Question, config: Config, flags: AskFlags): Promise<Question> {
  const { agent, key } = question
  if (agent === undefined || key !== undefined || config.rules === undefined) return question
  if (Object.hasOwn(config.rules.agents, agent)) return question
  const [{ whoIs }, { knownNames }] = await Promise.all([
    import('../../../identity/who-is.ts'),
    import('../known-names.ts'),
  ])
  const { ancestors } = whoIs(agent, await knownNames(config, flags))
  return ancestors ? { ...question, agent: undefined, client: agent } : question
}
