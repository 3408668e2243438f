import { type HookInput, textOf } from './hook-input.ts'

export interface CommandOutcome {
  readonly hasFailed: boolean
  readonly output: string
}

const STRONG =
  /^(?:Error|[A-Z]\w*Error|error(?:\[E\d+\])?|fatal|panic):|\bFAIL(?:ED)?\b|\bAssertionError\b|Traceback \(most recent call last\)|\b[1-9]\d* (?:failed|errors?)\b|\bexit(?:ed with)? (?:code|status) [1-9]/m

/** Commands that print existing text, where the word "FAIL" does not mean a failure. */
const READERS =
  /^(?:cat|bat|less|head|tail|grep|rg|ag|sed|awk|ls|find|echo|printf|wc|diff|git (?:log|diff|show|status|blame|grep))\b/

/** Lines that the harness, not the program, adds to the output. */
const NOISE =
  /^(?:Exit code \d+|Shell cwd was reset to .*|<\/?[a-z-]+(?:-reminder|-command|-stdout|-stderr|-caveat)>.*|Command running in background.*|\[Request interrupted.*)$/gm

/** Returns whether a command of the agent failed, and what it printed. */
export function commandOutcome(input: HookInput): CommandOutcome {
  const command = textOf(input.args['command'])
  if (input.error !== undefined) return { hasFailed: true, output: withoutNoise(input.error) }
  const { exitCode, stdout, stderr } = readResponse(input.response)
  const output = withoutNoise([stdout, stderr].filter((part) => part !== '').join('\n'))
  const hasFailed =
    exitCode === undefined
      ? stderr.trim() !== '' || looksFailed(command, output)
      : exitCode !== 0 || looksFailed(command, output)
  return { hasFailed, output }
}

function looksFailed(command: string, output: string): boolean {
  return !READERS.test(commandHead(command)) && STRONG.test(output)
}

function withoutNoise(text: string): string {
  return text.replaceAll(NOISE, '').trim()
}

interface Response {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

function readResponse(response: unknown): Response {
  if (typeof response !== 'object' || response === null || Array.isArray(response))
    return { exitCode: undefined, stdout: textOf(response), stderr: '' }
  const found: Record<string, unknown> = { ...response }
  const code = found['exit_code'] ?? found['exitCode']
  // Claude Code sends no exit code: it calls this hook after a success or an interruption.
  const implied = found['interrupted'] === false ? 0 : undefined
  return {
    exitCode: typeof code === 'number' ? code : implied,
    stdout: textOf(found['stdout']),
    stderr: textOf(found['stderr']),
  }
}

const WITH_SUBCOMMANDS =
  /^(?:npm|npx|pnpm|yarn|bun|bunx|deno|git|docker|podman|kubectl|helm|terraform|cargo|go|make|just|pip|uv|uvx|poetry|bundle|rails|dotnet|mvn|gradle|python3?|node|php|aws|gcloud|az|apt|apt-get|brew|sudo)$/

/** Returns the program: `npm test` for both `npm test -- --run` and `cd app && CI=1 npm test`. */
export function commandHead(command: string): string {
  const last = command
    .trim()
    .replace(/^(?:cd\s+\S+\s*(?:&&|;)\s*)+/, '')
    .replace(/^(?:\w+=\S*\s+)+/, '')
  const [program = '', ...rest] = last.split(/\s+/)
  if (!WITH_SUBCOMMANDS.test(program)) return program
  const sub = rest.find((word) => !word.startsWith('-'))
  return sub === undefined ? program : `${program} ${sub}`
}
