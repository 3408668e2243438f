import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildServer } from './child-server.ts'
import { debianProgram } from './debian-program.ts'
import { freePort } from './free-port.ts'
import { untilOpen } from './redis.ts'

const PROGRAM = {
  name: 'nginx',
  packageName: 'nginx-light',
  need: 'These tests need nginx on the PATH.',
}

export interface TestNginx {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a real nginx on loopback in its own folder; `http` returns its http block. */
export async function startNginx(http: (port: number) => string): Promise<TestNginx> {
  const program = await debianProgram(PROGRAM)
  const [folder, port] = await Promise.all([mkdtemp(join(tmpdir(), 'nginx-')), freePort()])
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = [
    process.getuid?.() === 0 ? 'user root;' : '',
    'daemon off;',
    'master_process off;',
    'worker_processes 1;',
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/error.log warn;`,
    'events { worker_connections 1024; }',
    'http {',
    'access_log off;',
    ...paths.map((name) => `${name}_temp_path ${folder}/${name};`),
    http(port),
    '}',
  ]
  await writeFile(join(folder, 'nginx.conf'), config.join('\n'))
  const server = await startChildServer(program, ['-p', folder, '-c', join(folder, 'nginx.conf')])
  await untilOpen(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await server.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
