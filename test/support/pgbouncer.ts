import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildServer } from './child-server.ts'
import { debianProgram } from './debian-program.ts'
import { freePort } from './free-port.ts'
import { untilOpen } from './redis.ts'
import type { Later } from './temp-folder.ts'

const PROGRAM = {
  name: 'pgbouncer',
  packageName: 'pgbouncer',
  need: 'These tests need PgBouncer on the PATH.',
}

/** Starts a real PgBouncer in front of a database, which pools connections per transaction. */
export async function startPgBouncer(databaseUrl: string, later: Later): Promise<string> {
  const program = await debianProgram(PROGRAM)
  const [folder, port] = await Promise.all([mkdtemp(join(tmpdir(), 'pgbouncer-')), freePort()])
  const { hostname, port: behind, pathname, username } = new URL(databaseUrl)
  const path = join(folder, 'pgbouncer.ini')
  const config = [
    '[databases]',
    `* = host=${hostname} port=${behind} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
  ]
  await writeFile(path, config.join('\n'), { mode: 0o644 })
  // It refuses to run as root, and only needs to read this file.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const server = await startChildServer(program, [...user, path])
  later(async () => {
    await server.end('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  await untilOpen(port)
  return `postgres://${username}@127.0.0.1:${port}${pathname}`
}
