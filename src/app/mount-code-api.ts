import { extname } from 'node:path'
import type { Mount } from '../http/server.ts'
import type { CodeLog } from '../builtins/code/log/code-log.ts'
import type { App } from './app.ts'
import type { MountableCodeApi } from './open-code-api.ts'

export interface MountedCodeApi {
  readonly mounts: readonly Mount[]
  close(): void
}

/** Code search by itself: what it logged so far, and how its process is ended. */
export interface CodeAlone {
  readonly log: CodeLog
  readonly stop: () => void
}

/** The HTTP API of code search below `/api`, and the ways to its page. Loaded when first asked for. */
export function mountCodeApi(app: App, pages: Mount, alone: CodeAlone | undefined): MountedCodeApi {
  let opening: Promise<MountableCodeApi> | undefined

  async function open(): Promise<MountableCodeApi> {
    const { openCodeApi } = await import('./open-code-api.ts')
    return openCodeApi(app, alone)
  }

  return {
    mounts: [
      {
        prefix: '/api',
        async handle(request, response, url) {
          opening ??= open()
          return (await opening).handle(request, response, url)
        },
      },
      {
        prefix: '/dashboard',
        async handle(_, response) {
          response.writeHead(302, { location: '/code' }).end()
          return true
        },
      },
      {
        prefix: '/static',
        async handle(request, response, url) {
          const path = url.pathname.slice('/static'.length)
          return extname(path) !== '' && pages.handle(request, response, new URL(path, url))
        },
      },
    ],
    close() {
      void opening?.then((api) => api.close())
    },
  }
}
