import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { startChild } from './child.ts'

const shell = (script: string, env: Record<string, string> = {}, cwd?: string) =>
  startChild({ command: '/bin/sh', args: ['-c', script], env, cwd })

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('startChild', () => {
  it('gives a child its own variables, and of ours only the harmless ones', async () => {
    vi.stubEnv('MY_SECRET', 'hidden')
    // Without them a browser that a server opens finds no screen.
    vi.stubEnv('DISPLAY', ':0')
    vi.stubEnv('XAUTHORITY', '/run/xauth')
    vi.stubEnv('WAYLAND_DISPLAY', 'wayland-0')
    vi.stubEnv('XDG_RUNTIME_DIR', '/run/user/1000')
    const { path } = tempFolder()
    const child = shell('env; pwd', { GIVEN: 'yes' }, path)
    const output = await text(child.stdout)
    vi.unstubAllEnvs()
    expect(output).toContain('GIVEN=yes')
    expect(output).toContain('PATH=')
    expect(output).toMatch(/^DISPLAY=:0$/m)
    expect(output).toContain('XAUTHORITY=/run/xauth')
    expect(output).toContain('WAYLAND_DISPLAY=wayland-0')
    expect(output).toContain('XDG_RUNTIME_DIR=/run/user/1000')
    expect(output).not.toContain('MY_SECRET')
    expect(output).toContain(path)
  })

  it('says how a child ended, or why it could not start', async () => {
    expect((await shell('exit 3').gone).message).toBe('its process exited with code 3')
    expect((await shell('kill -9 $$').gone).message).toBe('its process was ended by SIGKILL')
    const missing = startChild({ command: '/no/such/program', args: [], env: {}, cwd: undefined })
    expect((await missing.gone).message).toContain('ENOENT')
    await missing.stop()
  })

  it('stops a polite child by closing its input', async () => {
    const child = shell('cat > /dev/null; echo bye')
    const output = text(child.stdout)
    await child.stop()
    expect(await output).toBe('bye\n')
  })

  it('ends what a child has started, when the child itself is gone', async () => {
    const child = shell('sleep 600 & echo $!; read x')
    const [line]: unknown[] = await once(child.stdout, 'data')
    const pid = Number(String(line))
    expect(isAlive(pid)).toBe(true)
    await child.stop()
    await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false)
  })
})
