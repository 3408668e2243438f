import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { gatewayEnv } from './gateway.ts'
import type { TempFolder } from './temp-folder.ts'

const settings = z.object({
  hooks: z.record(
    z.string(),
    z.array(
      z.object({
        matcher: z.string().optional(),
        hooks: z.array(z.object({ command: z.string(), timeout: z.number() })),
      }),
    ),
  ),
})

export interface HookEnded {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
  /** All text in the hook's output, as the agent or its user would read it. */
  readonly said: string
}

/** Runs hooks like Claude Code: matching ones of the settings, in a shell, with their timeout. */
export class ClaudeCode {
  readonly #folder: TempFolder
  readonly #env: Record<string, string>

  constructor(folder: TempFolder, env: Record<string, string> = {}) {
    this.#folder = folder
    this.#env = env
  }

  async hook(event: string, input: Record<string, unknown> | string = {}): Promise<HookEnded> {
    const { hooks } = settings.parse(JSON.parse(this.#folder.read('.claude/settings.json')))
    const { tool_name: tool } = typeof input === 'object' ? input : {}
    const subject = typeof tool === 'string' ? tool : 'startup'
    const matching = (hooks[event] ?? []).filter(
      ({ matcher }) => matcher === undefined || new RegExp(`^(?:${matcher})$`).test(subject),
    )
    const [hook] = matching.flatMap((entry) => entry.hooks)
    if (!hook) return { code: null, stdout: '', stderr: '', ms: 0, said: '' }
    return this.#run(hook, typeof input === 'string' ? input : this.#toJson(event, input))
  }

  #toJson(event: string, input: Record<string, unknown>): string {
    return JSON.stringify({
      session_id: 'e2e',
      transcript_path: this.#folder.file('transcript.jsonl'),
      cwd: this.#folder.file('project'),
      permission_mode: 'default',
      hook_event_name: event,
      tool_use_id: 'toolu_1',
      ...input,
    })
  }

  async #run(hook: { command: string; timeout: number }, input: string): Promise<HookEnded> {
    const started = performance.now()
    const child = spawn('sh', ['-c', `exec ${hook.command}`], {
      cwd: this.#folder.path,
      env: { ...gatewayEnv(this.#folder), PORTOLAN_HOME: undefined, ...this.#env },
      stdio: 'pipe',
      timeout: hook.timeout * 1000,
    })
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    child.stdin.on('error', () => {}).end(input)
    const [code]: unknown[] = await once(child, 'exit')
    const ms = performance.now() - started
    const [stdout, stderr] = await output
    return { code: typeof code === 'number' ? code : null, stdout, stderr, ms, said: read(stdout) }
  }
}

/** Returns the strings inside the JSON, unquoted. */
function read(stdout: string): string {
  const texts: string[] = []
  if (stdout !== '')
    JSON.parse(stdout, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
  return texts.join('\n')
}
