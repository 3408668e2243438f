import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { loadConfig } from '../../../config/load.ts'
import { type RunningGateway, findGateway } from '../running-gateway.ts'

/** A gateway takes saved files over within a second; its servers take a moment more to start. */
const LOOK_FOR_MS = 3_000
const LOOK_EVERY_MS = 100

interface Reported<Result> {
  readonly result: Result
  /** Lines about the gateway that runs; none if there is none. */
  readonly report: readonly string[]
}

/** Changes stored files, and says what that has done to the servers of the running gateway. */
export async function withReport<Result>(change: () => Promise<Result>): Promise<Reported<Result>> {
  const gateway = await running()
  const before = gateway && (await linesOf(gateway))
  const result = await change()
  return { result, report: gateway && before ? await changesAt(gateway, before) : [] }
}

/** Says how a server is in a running gateway. */
export async function describeServers(gateway: RunningGateway, name: string): Promise<string[]> {
  const all = (await linesOf(gateway)) ?? new Map<string, string>()
  const line = all.get(name)
  return line === undefined ? [] : [`  ${gateway.name}: ${line}`]
}

async function running(): Promise<RunningGateway | undefined> {
  try {
    const config = loadConfig({ cwd: process.cwd(), env: process.env })
    return await findGateway(config, process.env['PORTOLAN_KEY'])
  } catch {
    return undefined // The files have mistakes, which other commands report.
  }
}

async function changesAt(
  gateway: RunningGateway,
  before: ReadonlyMap<string, string>,
): Promise<string[]> {
  const until = Date.now() + LOOK_FOR_MS
  for (;;) {
    // oxlint-disable no-await-in-loop -- One look after the other.
    await wait(LOOK_EVERY_MS)
    const now = (await linesOf(gateway)) ?? before
    // oxlint-enable no-await-in-loop
    const changed = [...now].flatMap(([name, line]) => (before.get(name) === line ? [] : line))
    const gone = [...before.keys()].filter((name) => !now.has(name))
    const isOver = Date.now() > until
    const isSettled = changed.every((line) => !line.endsWith(' is starting'))
    if (changed.length + gone.length > 0 && (isSettled || isOver))
      return [...changed, ...gone.map((name) => `${name} is gone`)].map(
        (line) => `  ${gateway.name}: ${line}`,
      )
    if (isOver) return [`  ${gateway.name} has it; none of its servers has changed`]
  }
}

const serversAnswer = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      folder: z.string().nullable(),
      state: z.string(),
      error: z.string().nullable(),
    }),
  ),
})

/** What a person reads of each server; undefined if the gateway does not answer. */
async function linesOf(gateway: RunningGateway): Promise<Map<string, string> | undefined> {
  const answer = await gateway.ask('GET', '/servers').catch(() => undefined)
  const { data } = serversAnswer.safeParse(answer)
  return (
    data &&
    new Map(
      data.servers.map(({ name, folder, state, error }) => {
        const shown = folder === null ? name : `${name} in ${folder}`
        const word = state === 'idle' ? 'there, and starts when it is used' : state
        return [shown, error === null ? `${shown} is ${word}` : `${shown} is down: ${error}`]
      }),
    )
  )
}
