import type {
  ServerDetail,
  ServerProgram,
  ServerSandbox,
} from '../../../../src/dashboard/contract/servers.ts'
import { formatAgo, formatClock, formatSpan, plural } from '../../format.ts'
import { Fact } from '../../ui/figures/fact.tsx'
import { BreakerBadge, StateBadge } from '../../ui/figures/state-badge.tsx'
import { visible } from '../../ui/text/visible.ts'

/** What a server is, how it is, and what it wrote. */
export function ServerFacts({ server }: { readonly server: ServerDetail }) {
  const { error, retryAt, since } = server
  return (
    <>
      <dl class="facts">
        <Fact name="State">
          <StateBadge server={server} />{' '}
          {since !== null && `for ${formatSpan(Date.now() - Date.parse(since))}`}
        </Fact>
        <Fact name="Why">{error}</Fact>
        <Fact name="What to do">{server.nextStep}</Fact>
        <Fact name="Tries again">{retryAt === null ? null : inTime(Date.parse(retryAt))}</Fact>
        <Fact name="Calls are">
          <BreakerBadge breaker={server.breaker} />
        </Fact>
        <WhatItIs server={server} />
      </dl>
      <LeftOut server={server} />
      <Output server={server} />
      {server.instructions !== null && (
        <details>
          <summary>Instructions for agents</summary>
          <p class="pre">{server.instructions}</p>
        </details>
      )}
      <p class="links">
        <a href={`/audit?server=${encodeURIComponent(server.name)}`}>Its calls in the audit log</a>
      </p>
    </>
  )
}

/** Where it runs, what holds it back, and what it speaks. */
function WhatItIs({ server }: { readonly server: ServerDetail }) {
  const { lastError, program, version } = server
  return (
    <>
      <Fact name="Package">
        {program === null ? null : <Program program={program} running={version} />}
      </Fact>
      <Fact name="Restarts">{server.restarts}</Fact>
      <Fact name="Connections">{server.connections}</Fact>
      <Fact name="Where">{server.location === null ? null : <code>{server.location}</code>}</Fact>
      <Fact name="Only in folder">
        {server.folder === null ? null : <code>{server.folder}</code>}
      </Fact>
      <Fact name="Sandbox">{server.kind === 'stdio' ? describeSandbox(server.sandbox) : null}</Fact>
      <Fact name="Lock">{server.lock === null ? null : <code>{server.lock}</code>}</Fact>
      <Fact name="File">{server.file === null ? null : <code>{server.file}</code>}</Fact>
      <Fact name="Speaks">{server.era === null ? null : ERA_WORDS[server.era]}</Fact>
      <Fact name="Version">{program === null ? version : null}</Fact>
      <Fact name="Also offers">
        {server.prompts + server.resources === 0
          ? null
          : `${plural(server.prompts, 'prompt')}, ${plural(server.resources, 'resource')}`}
      </Fact>
      <Fact name="Last failure">
        {lastError === null ? null : `${lastError.text} (${formatAgo(Date.parse(lastError.at))})`}
      </Fact>
    </>
  )
}

/** The package instead of the runner that fetches it; its version by the entry and by itself. */
function Program({
  program,
  running,
}: {
  readonly program: ServerProgram
  readonly running: string | null
}) {
  const { source, name, version } = program
  return (
    <>
      <code>{visible(name)}</code> of {source === 'image' ? 'a registry of images' : source},{' '}
      {version === null ? 'the newest at each start' : version}
      {running !== null && running !== version && ` (says that it is ${running})`}
    </>
  )
}

function describeSandbox(sandbox: ServerSandbox | null): string {
  if (sandbox === null) return 'none: it runs with all rights of this user'
  const { read, write, network, env } = sandbox
  const reach = typeof network === 'string' ? network : network.join(', ')
  return [
    `network: ${reach}`,
    ...(read.length > 0 ? [`reads ${read.join(', ')}`] : []),
    ...(write.length > 0 ? [`writes ${write.join(', ')}`] : []),
    ...(env.length > 0 ? [`variables ${env.join(', ')}`] : []),
  ].join('; ')
}

const ERA_WORDS = { modern: 'MCP 2026-07-28', legacy: 'MCP 2025-11-25 or older' } as const

/** Definitions that agents do not see, because clients would refuse the whole list with them. */
function LeftOut({ server }: { readonly server: ServerDetail }) {
  if (server.leftOut.length === 0) return null
  return (
    <details open>
      <summary>{plural(server.leftOut.length, 'definition')} left out</summary>
      <ul>
        {server.leftOut.map(({ kind, name, reason }) => (
          <li>
            {kind} <code>{visible(name)}</code>: {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The last lines of its stderr, which often say why it is down. */
function Output({ server }: { readonly server: ServerDetail }) {
  if (server.output.length === 0) return null
  return (
    <details open={server.error !== null}>
      <summary>What it wrote ({plural(server.output.length, 'line')} of stderr)</summary>
      <pre class="output" tabIndex={0} aria-label={`Output of ${server.name}`}>
        {server.output.map(({ at, text }) => `${formatClock(Date.parse(at))}  ${text}`).join('\n')}
      </pre>
    </details>
  )
}

function inTime(at: number): string {
  return at <= Date.now() ? 'now' : `in ${formatSpan(at - Date.now())}`
}
