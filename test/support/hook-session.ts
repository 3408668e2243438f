import { mkdirSync } from 'node:fs'
import { beforeEach } from 'vitest'
import { runHook } from '../../src/cli/traces/hooks/run-hook.ts'
import { Memory } from '../../src/cli/traces/hooks/memory/memory.ts'
import { connectTraces } from '../../src/cli/traces/connect-traces.ts'
import { aTrace } from './traces-client.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export type HookOutput = Record<string, unknown> | undefined

export const TRACE_ID = '11111111-1111-4111-8111-111111111111'
const BASH = { tool_name: 'Bash', tool_input: { command: 'npm test -- --run' } }
const FAILURE = { ...BASH, error: 'Exit code 1\nError: frobnicator socket hang up' }
const SUCCESS = { ...BASH, tool_response: { stdout: 'ok', stderr: '', interrupted: false } }
export const OPENED = {
  tool_name: 'mcp__portolan__traces__get_trace',
  tool_input: { trace_id: TRACE_ID },
  tool_response: [{ type: 'text', text: '[PENDING] The frobnicator hangs\n\nID: 1' }],
}

/** A repository in which an agent works, and its hooks; a new one for each test. */
export class HookSession {
  readonly folder: TempFolder = tempFolder()
  readonly home = this.folder.file('home')
  readonly env: Record<string, string> = { PORTOLAN_HOME: this.home }
  readonly memory = new Memory(this.home)

  constructor() {
    mkdirSync(this.folder.file('.git'))
  }

  async hook(event: string, input: Record<string, unknown> = {}): Promise<HookOutput> {
    const text = JSON.stringify({ session_id: 's', cwd: this.folder.path, ...input })
    const output = await runHook({ event, text, env: this.env, command: 'portolan' })
    return output === undefined ? undefined : JSON.parse(output)
  }

  async fails(change: Record<string, unknown> = {}): Promise<HookOutput> {
    return this.hook('PostToolUseFailure', { ...FAILURE, ...change })
  }

  async works(change: Record<string, unknown> = {}): Promise<HookOutput> {
    return this.hook('PostToolUse', { ...SUCCESS, ...change })
  }

  async edits(file: string): Promise<HookOutput> {
    const tool_input = { file_path: this.folder.file(file) }
    return this.hook('PostToolUse', { tool_name: 'Edit', tool_input })
  }

  /** A solved problem: a failing test, an edit, and a passing test. */
  async solves(): Promise<void> {
    await this.fails()
    await this.edits('a.ts')
    await this.works()
  }

  /** Reports a call of contribute_trace with this answer. */
  async contributes(text: string, change: Record<string, unknown> = {}): Promise<HookOutput> {
    return this.hook('PostToolUse', {
      tool_name: 'mcp__portolan__traces__contribute_trace',
      tool_input: { ...aTrace(), metadata_json: { language: 'go' }, review_after: '' },
      tool_response: [{ type: 'text', text }],
      ...change,
    })
  }

  async ask(method: string, path: string, body?: unknown) {
    const connection = await connectTraces(this.env)
    try {
      return await connection.request(method, path, body)
    } finally {
      await connection.close()
    }
  }

  /** Stores a trace in the service, and returns its id. */
  async knowing(change: Record<string, unknown>): Promise<string> {
    const { body } = await this.ask('POST', '/traces', aTrace(change))
    return String(body['id'])
  }
}

/** Creates a session for each test; returns a getter for that of the running test. */
export function hookSession(): () => HookSession {
  let session: HookSession | undefined
  beforeEach(() => {
    session = new HookSession()
  })
  return () => {
    if (!session) throw new Error('No test runs')
    return session
  }
}
