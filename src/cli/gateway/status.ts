import { z } from 'zod'
import { dataFolder } from '../../config/paths.ts'
import { aloneGateways } from '../../local/alone.ts'
import { askGateway } from '../../local/connect.ts'
import { logFileOf } from '../../local/log-file.ts'
import { openRunFolder } from '../../local/run-folder.ts'

const statusAnswer = z.object({
  startedAt: z.string(),
  dashboardUrl: z.string().nullable(),
  clients: z.array(
    z.object({
      pid: z.number(),
      folder: z.string(),
      since: z.string(),
      name: z.string().nullable(),
      inFlight: z.number(),
    }),
  ),
})

/** The person's gateway and those that serve one client alone, as they are now. */
export async function readStatus() {
  const { env } = process
  const home = dataFolder({ cwd: process.cwd(), env })
  const found = await askGateway(openRunFolder(home, env), 'status')
  return {
    gateway: found && {
      version: found.version,
      kind: found.kind,
      pid: found.pid,
      ...statusAnswer.parse(found.answer),
    },
    alone: aloneGateways(home, env),
    log: logFileOf(home),
  }
}

export async function showStatus(isJson: boolean): Promise<void> {
  const status = await readStatus()
  if (isJson) return void process.stdout.write(`${JSON.stringify(status, null, 2)}\n`)
  for (const line of describe(status)) process.stdout.write(`${line}\n`)
}

function describe({ gateway, alone, log }: Awaited<ReturnType<typeof readStatus>>): string[] {
  return [
    ...(gateway
      ? [
          `Portolan ${gateway.version} runs ${gateway.kind === 'serve' ? 'by `portolan serve`' : 'in the background'} since ${gateway.startedAt} (process ${gateway.pid}).`,
          ...(gateway.dashboardUrl === null ? [] : [`Dashboard: ${gateway.dashboardUrl}`]),
          gateway.clients.length === 0 ? 'No client has joined it.' : 'Clients over stdio:',
          ...gateway.clients.map(
            ({ name, pid, folder, inFlight }) =>
              `  ${name ?? 'unknown'} (process ${pid}) in ${folder}${inFlight > 0 ? `, ${inFlight} requests in flight` : ''}`,
          ),
        ]
      : ['No gateway runs. The next client that starts `portolan` starts it.']),
    ...(alone.length > 0 ? ['Clients with a gateway of their own:'] : []),
    ...alone.map(({ pid, folder, reason }) => `  process ${pid} in ${folder}, because ${reason}`),
    `Log: ${log}`,
  ]
}
