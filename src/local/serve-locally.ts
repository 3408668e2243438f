import type { Socket } from 'node:net'
import type { App } from '../app/app.ts'
import type { Folders } from '../app/folders.ts'
import type { Environment } from '../base/environment.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { VERSION } from '../base/version.ts'
import { newVariablesOf, variablesOf } from '../config/servers/variables-of.ts'
import { type StdioFront, serveStdio } from '../fronts/stdio.ts'
import { isSurfaceName } from '../gateway/request.ts'
import type { GatewayKind } from './handshake.ts'
import { type LocalGateway, type LocalGatewayOptions, listenLocally } from './listen.ts'
import { movedLine } from './moved.ts'
import { NotShared } from './not-shared.ts'
import { differingVariables, fingerprints, processVariables } from './process-variables.ts'
import type { RunFolder } from './run-folder.ts'

export interface ServeLocallyOptions {
  readonly folders: Folders
  readonly kind: GatewayKind
  readonly run: RunFolder
  readonly env: Environment
  /** What else can be asked on the socket, by name. */
  readonly answers: LocalGatewayOptions['answers']
  readonly onJoin?: (() => void) | undefined
  readonly onEmpty: () => void
  readonly onReplaced: () => void
}

/** A client of the gateway that joined by a bridge. */
interface Client {
  readonly pid: number
  readonly folder: string
  readonly since: string
  readonly front: StdioFront
}

/** Serves the clients of this person that join on the socket of the data folder. */
export async function serveLocally(options: ServeLocallyOptions): Promise<LocalGateway> {
  const { folders, kind, run, env, answers, onJoin, onEmpty, onReplaced } = options
  const ours = fingerprints(env, run.token)
  const facts = { kind, version: VERSION, pid: process.pid }
  const startedAt = new Date().toISOString()
  const clients = new Set<Client>()
  let count = 0
  const { maxBodyBytes } = folders.main.config.settings.listen
  return listenLocally({
    run,
    facts,
    answers: {
      ping: async () => ({}),
      async status() {
        return {
          startedAt,
          dashboardUrl: folders.main.dashboardUrl ?? null,
          clients: [...clients].map(({ pid, folder, since, front }) => ({
            pid,
            folder,
            since,
            name: front.clientName ?? null,
            inFlight: front.inFlight(),
          })),
        }
      },
      ...answers,
    },
    async admit({ folder, settings }) {
      const different = differingVariables(ours, settings)
      if (different.length > 0)
        throw new NotShared(
          `variables that apply to a whole gateway differ from those of the one that runs: ${different.join(', ')}`,
        )
      return variablesOf(String(folder), env)
    },
    async serve(params, { names, values }, start) {
      const cwd = String(params['folder'])
      const client = await folders.open({
        cwd,
        env: {
          ...processVariables(env),
          ...texts(params['inherited']),
          ...texts(values),
          ...(typeof params['project'] === 'string' && { PORTOLAN_PROJECT: params['project'] }),
        },
      })
      if (!client.app.config.settings.shared.enabled) {
        client.release()
        throw new NotShared('shared.enabled is false')
      }
      const { toolset } = params
      const problem =
        typeof toolset === 'string' ? client.app.backend.toolsetProblem(toolset) : undefined
      if (problem !== undefined) {
        client.release()
        throw new NotShared(problem)
      }
      const socket = start()
      const front = frontOf(client.app, params, socket)
      // The bridge sends all variables whenever it joins, so it is asked to join again.
      const stopFollowing = client.app.onReload(() => {
        if (newVariablesOf(cwd, env, names).length === 0) return
        stopFollowing()
        socket.write(movedLine('its files name variables that it was not asked for'))
      })
      const entry: Client = {
        pid: Number(params['pid']),
        folder: cwd,
        since: new Date().toISOString(),
        front,
      }
      clients.add(entry)
      void front.ended.finally(() => {
        clients.delete(entry)
        stopFollowing()
        client.release()
      })
    },
    onJoin,
    onEmpty,
    onReplaced,
  })

  function frontOf({ backend }: App, params: JsonObject, socket: Socket): StdioFront {
    const { key, surface, toolset, project, folder, connections } = params
    return serveStdio({
      backend,
      arrival: {
        transport: 'stdio',
        credential: typeof key === 'string' ? key : undefined,
        claimedAgent: undefined,
        headers: {},
        surface: typeof surface === 'string' && isSurfaceName(surface) ? surface : undefined,
        toolset: typeof toolset === 'string' ? toolset : undefined,
        // A variable that names the project is part of the folder's environment.
        projectPath: typeof project === 'string' ? undefined : String(folder),
        alone: false,
      },
      maxFrameBytes: maxBodyBytes,
      input: socket,
      output: socket,
      session: `local-${++count}`,
      // The client may still answer requests of the gateway that this bridge has lost.
      idPrefix: Number(connections) > 0 ? `again-${Number(connections)}-` : undefined,
    })
  }
}

function texts(value: unknown): Record<string, string> {
  const entries = Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(
    entries.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : [])),
  )
}
