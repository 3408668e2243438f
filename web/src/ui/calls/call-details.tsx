import type { Call, CallDetail, KeptCall } from '../../../../src/dashboard/contract/calls.ts'
import type { OutputLine } from '../../../../src/dashboard/contract/servers.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin, me } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatClock, formatMs, formatStamp, formatWhole, plural } from '../../format.ts'
import { queried, setQuery } from '../../router.ts'
import { Command } from '../text/command.tsx'
import { callCommand } from './call-command.ts'
import { describeChange } from './describe-change.ts'
import { DecisionBadge } from './decision-badge.tsx'
import { Dialog } from '../notice/dialog.tsx'
import { Fact } from '../figures/fact.tsx'
import { Failure } from '../notice/failure.tsx'
import { visible } from '../text/visible.ts'

/** All details of the call that the address of the page names, beside the list. */
export function ChosenCall({ calls }: { readonly calls: readonly Call[] }) {
  const id = queried('call')
  const call = calls.find((one) => one.id === id)
  return (
    <Dialog
      title="Call"
      side
      open={id !== ''}
      onClose={() => setQuery({ call: undefined, at: undefined })}
    >
      {id !== '' && <Body key={id} id={id} at={queried('at') || call?.at} call={call} />}
    </Dialog>
  )
}

interface BodyProps {
  readonly id: string
  readonly at: string | undefined
  readonly call: Call | undefined
}

function Body({ id, at, call }: BodyProps) {
  const query = at === undefined ? {} : { at }
  const data = useData(id, async (signal) =>
    ask('GET /call/:id', { params: { id }, query, signal }),
  )
  const loaded = data.loaded.value
  const known = loaded.value?.call ?? call
  return (
    <>
      {known !== undefined && <Facts call={known} />}
      {loaded.state === 'failed' && known === undefined && (
        <Failure error={loaded.error} retry={data.refresh} />
      )}
      {known !== undefined && <Content call={known} detail={loaded.value} />}
      {loaded.value !== undefined && <Neighbours detail={loaded.value} />}
      {known !== undefined && <Links call={known} />}
    </>
  )
}

function Facts({ call }: { readonly call: Call }) {
  const { agent, client, server, tool } = call
  const change = describeChange(call)
  return (
    <dl class="facts">
      <Fact name="Ended">
        {formatStamp(Date.parse(call.at))} in {formatMs(call.durationMs)}
      </Fact>
      <Fact name="Result">
        <DecisionBadge call={call} /> <code>{call.outcome}</code>
      </Fact>
      <Fact name="What">{change}</Fact>
      <Fact name="Error">{call.error}</Fact>
      <Fact name="Agent">{agent ?? 'unknown'}</Fact>
      <Fact name="Person">{call.user}</Fact>
      <Fact name="On behalf of">
        {call.onBehalfOf === null ? null : call.onBehalfOf.join(', ')}
      </Fact>
      <Fact name="Client">{client}</Fact>
      <Fact name="Folder">{call.folder === null ? null : <code>{call.folder}</code>}</Fact>
      <Fact name="Operation">
        <code>{call.operation}</code>
      </Fact>
      <Fact name="Server">{server}</Fact>
      <Fact name="Tool">{tool === null ? null : <code>{visible(tool)}</code>}</Fact>
      <Fact name="Rule">{call.rule === null ? null : <code>{call.rule}</code>}</Fact>
      <Fact name="Reason">{call.reason}</Fact>
      <Fact name="Cache">{call.cache}</Fact>
      <Fact name="Tokens">{call.tokenCount === null ? null : formatWhole(call.tokenCount)}</Fact>
      <Fact name="Tokens saved">
        {call.tokensSaved === null ? null : formatWhole(call.tokensSaved)}
      </Fact>
      <Fact name="Call id">
        <code>{call.id}</code>
      </Fact>
    </dl>
  )
}

/** What belongs to it: the script around it or in it, and the question whether it may be made. */
function Neighbours({ detail: { script, calls, approvals } }: { readonly detail: CallDetail }) {
  const groups = [
    { title: 'The script that made it', calls: script === null ? [] : [script] },
    { title: `What its script called (${calls.length})`, calls },
    { title: 'Its approval, newest first', calls: approvals },
  ].filter((group) => group.calls.length > 0)
  return (
    <>
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h3>{group.title}</h3>
          <ul class="neighbours">
            {group.calls.map((call) => (
              <li key={call.id}>
                <span class="dim">{formatClock(Date.parse(call.at))}</span>{' '}
                <DecisionBadge call={call} />{' '}
                <a
                  href={`/calls?${new URLSearchParams({ call: call.id, at: call.at }).toString()}`}
                >
                  {visible(describeChange(call) ?? targetOf(call))}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function targetOf({ server, tool, operation }: Call): string {
  return server === null ? operation : [server, tool].filter((name) => name !== null).join(' / ')
}

interface ContentProps {
  readonly call: Call
  readonly detail: CallDetail | undefined
}

/** Arguments and result, if they were kept, and what the server wrote meanwhile. */
function Content({ call, detail }: ContentProps) {
  const args = detail?.kept?.arguments ?? call.arguments
  return (
    <>
      {args !== null && <Json title="Arguments" text={args} />}
      {detail?.kept && <Result kept={detail.kept} />}
      {detail?.kept === null && isAdmin() && <NotKept args={args} />}
      {detail && <Output call={call} lines={detail.output} />}
      {args !== null && <Again call={call} args={args} />}
    </>
  )
}

function Result({ kept: { result, isCut } }: { readonly kept: KeptCall }) {
  return (
    <>
      {result !== null && <Json title="Result, as the agent got it" text={result} />}
      {isCut && <p class="small">Only the beginning was kept of what is long.</p>}
    </>
  )
}

function NotKept({ args }: { readonly args: string | null }) {
  return (
    <p class="small">
      {args === null ? 'Its arguments and its result were' : 'Its result was'} not kept: switch on
      “Keep arguments and results” under <a href="/calls">Live calls</a>, and call again.
    </p>
  )
}

function Output({ call, lines }: { readonly call: Call; readonly lines: readonly OutputLine[] }) {
  if (lines.length === 0) return null
  const server = call.server ?? 'the server'
  return (
    <details open={call.decision !== 'ALLOW'}>
      <summary>
        What {server} wrote around it ({plural(lines.length, 'line')} of stderr)
      </summary>
      <pre class="output" tabIndex={0} aria-label={`Output of ${server}`}>
        {lines.map(({ at, text }) => `${formatClock(Date.parse(at))}  ${text}`).join('\n')}
      </pre>
    </details>
  )
}

function Again({ call, args }: { readonly call: Call; readonly args: string }) {
  if (call.server === null || call.tool === null) return null
  return (
    <p>
      Call it again from a shell: <Command text={callCommand(call, args, me.value?.endpoint)} />
    </p>
  )
}

/** The page that runs it again with the same arguments, or others. */
function runAgainOf({ id, at, agent, folder, server, tool }: Call): string | undefined {
  if (server === null || tool === null) return undefined
  const mayChoose = agent !== null && me.value?.actAs.includes(agent)
  return `/run?${new URLSearchParams({
    server,
    tool,
    call: id,
    at,
    ...(mayChoose && { agent }),
    ...(folder !== null && { folder }),
  }).toString()}`
}

function Json({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <h3>{title}</h3>
      <pre class="block" tabIndex={0} aria-label={title}>
        {indented(text)}
      </pre>
    </>
  )
}

/** Indents JSON; returns other text unchanged, as it may be cut. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Links({ call }: { readonly call: Call }) {
  const { agent, folder, server, tool } = call
  const again = runAgainOf(call)
  return (
    <p class="links">
      {again !== undefined && <a href={again}>Run it again, or edit and run</a>}
      {folder !== null && (
        <a href={`/audit?folder=${encodeURIComponent(folder)}`}>All of this folder</a>
      )}
      {agent !== null && (
        <a href={`/audit?agent=${encodeURIComponent(agent)}`}>All of this agent</a>
      )}
      {agent !== null && server !== null && (
        <a
          href={`/playground?${new URLSearchParams({ agent, server, ...(tool !== null && { tool }) }).toString()}`}
        >
          What if the rules were different?
        </a>
      )}
    </p>
  )
}
