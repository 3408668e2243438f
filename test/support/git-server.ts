import { execFileSync, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export interface GitServer {
  readonly url: string
  readonly host: string
  close(): Promise<void>
}

/** A real git server over smart HTTP on loopback: git's own `http-backend` as CGI. */
export async function startGitServer(files: Readonly<Record<string, string>>): Promise<GitServer> {
  const folder = await temporaryFolder()
  const repository = join(folder.path, 'repo.git')
  execFileSync('git', ['init', '-q', repository])
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(repository, path)), { recursive: true })
    await writeFile(join(repository, path), text)
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'all')

  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: folder.path,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path.replace('/repo.git', '/repo.git/.git'),
        QUERY_STRING: query,
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(backend.stdin)
    const parts: Buffer[] = []
    backend.stdout.on('data', (part: Buffer) => parts.push(part))
    backend.on('close', () => {
      const all = Buffer.concat(parts)
      const end = all.indexOf('\r\n\r\n')
      const headers = all
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': '))
      const status = headers.find(([name]) => name === 'Status')?.[1]
      response.writeHead(
        Number(status?.slice(0, 3) ?? 200),
        Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
      )
      response.end(all.subarray(end + 4))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `localhost:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: `http://${host}/repo.git`,
    host,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await folder.remove()
    },
  }
}
