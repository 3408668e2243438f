import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { CallDetail } from '../../../../src/dashboard/contract/calls.ts'
import type { ToolDetail } from '../../../../src/dashboard/contract/run.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin, me } from '../../api/me.ts'
import { queried } from '../../router.ts'
import { Segments } from '../../ui/fields.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Form } from '../../ui/form.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { COPIES } from './copy-as.ts'
import { type RunOutcome, ofAnswer, ofRecord } from './outcome.ts'
import { Outcomes } from './outcomes.tsx'
import { type Fields, hasLongNumber, isFields, startingWith } from './schema.ts'
import { SchemaForm } from './schema-form.tsx'

const MAX_OUTCOMES = 10

interface RunnerProps {
  readonly tool: ToolDetail
  /** The recorded call that is to be made again. */
  readonly before: CallDetail | undefined
}

/** The arguments of one tool, and what its runs have answered. */
export function Runner({ tool, before }: RunnerProps) {
  const schema = isFields(tool.inputSchema) ? tool.inputSchema : {}
  const text = useSignal(startOf(schema, before))
  const mode = useSignal(readFields(text.peek()) === undefined ? 'json' : 'form')
  const agent = queried('agent') || (me.value?.actAs[0] ?? null)
  const { outcomes, error, running, run } = useRuns({ tool, before, agent, text })
  return (
    <div class={`run-grid ${outcomes.value.length > 1 ? 'wide' : ''}`}>
      <Panel title={`Arguments of ${tool.name}`} aside={<Effect tool={tool} agent={agent} />}>
        <Form class="run-form" submit={run}>
          {tool.description !== null && <p class="small lines">{tool.description}</p>}
          <Arguments schema={schema} text={text} mode={mode} />
          <RunButtons running={running} />
          <CopyAs tool={tool} agent={agent} text={text} />
        </Form>
      </Panel>
      <div class="run-results" aria-live="polite">
        {error.value !== undefined && <Failure error={error.value} />}
        <Outcomes outcomes={outcomes.value} />
      </div>
    </div>
  )
}

/** The recorded arguments, else what the schema requires. */
function startOf(schema: Fields, before: CallDetail | undefined): string {
  const recorded = before?.kept?.arguments ?? before?.call.arguments ?? undefined
  return pretty(recorded) ?? JSON.stringify(startingWith(schema, schema), null, 2)
}

interface RunsOptions extends RunnerProps {
  readonly agent: string | null
  readonly text: Signal<string>
}

/** The runs of this visit of the page, newest first, behind the recorded call. */
function useRuns({ tool, before, agent, text }: RunsOptions) {
  const outcomes = useSignal<readonly RunOutcome[]>(before ? [ofRecord(before)] : [])
  const error = useSignal<ApiError | undefined>(undefined)
  const running = useSignal<AbortController | undefined>(undefined)
  const count = useRef(0)
  useEffect(() => () => running.peek()?.abort(), [])

  async function run(): Promise<void> {
    const { server, name, folder } = tool
    const controller = new AbortController()
    running.value = controller
    error.value = undefined
    const args = text.peek()
    const body = {
      server,
      tool: name,
      arguments: args,
      ...(agent !== null && { agent }),
      ...(folder !== null && { folder }),
    }
    try {
      const answer = await ask('POST /run', { body, signal: controller.signal })
      count.current += 1
      const next = ofAnswer(answer, args, count.current)
      outcomes.value = [next, ...outcomes.peek()].slice(0, MAX_OUTCOMES)
    } catch (cause) {
      if (!controller.signal.aborted) error.value = toApiError(cause)
    }
    running.value = undefined
  }

  return { outcomes, error, running, run }
}

function RunButtons({ running }: { readonly running: Signal<AbortController | undefined> }) {
  const now = running.value
  if (!isAdmin())
    return (
      <p class="small">
        Only admins who have signed in run tools: open the pages with{' '}
        <code>portolan dashboard</code>.
      </p>
    )
  return (
    <p class="buttons">
      <button type="submit" class="primary" disabled={now !== undefined}>
        {now === undefined ? 'Run' : 'Running…'}
      </button>
      {now !== undefined && (
        <button type="button" onClick={() => now.abort()}>
          Cancel
        </button>
      )}
    </p>
  )
}

function Effect({ tool, agent }: { readonly tool: ToolDetail; readonly agent: string | null }) {
  const access =
    tool.access.find((one) => one.agent === agent) ?? tool.access.find((one) => one.agent === '*')
  return (
    <span class="run-effect">
      {tool.effect === 'read' && <Badge tone="info">reads</Badge>}
      {tool.effect === 'write' && <Badge tone="warn">may write</Badge>}
      {tool.effect === 'delete' && <Badge tone="warn">deletes</Badge>}
      {access?.effect === 'deny' && (
        <Badge tone="bad">
          <span title={access.message}>{agent} may not call it</span>
        </Badge>
      )}
      {access?.effect === 'ask' && (
        <Badge tone="warn">
          <span title={access.message}>a person is asked first</span>
        </Badge>
      )}
    </span>
  )
}

interface ArgumentsProps {
  readonly schema: Fields
  readonly text: Signal<string>
  readonly mode: Signal<string>
}

const MODES = [
  { value: 'form', name: 'Form' },
  { value: 'json', name: 'JSON' },
]

/** The same arguments as a form and as JSON. */
function Arguments({ schema, text, mode }: ArgumentsProps) {
  const id = useId()
  const values = readFields(text.value)
  return (
    <>
      <Segments
        label="Arguments as"
        choices={MODES}
        value={mode.value}
        onChange={(wanted) => {
          if (wanted === 'json' || readFields(text.peek()) !== undefined) mode.value = wanted
          else
            toast(
              hasLongNumber(text.peek())
                ? 'A number has more digits than the form can hold'
                : 'This is no JSON object yet',
              'warn',
            )
        }}
      />
      {mode.value === 'form' && values !== undefined ? (
        <SchemaForm
          schema={schema}
          root={schema}
          values={values}
          onChange={(next) => (text.value = JSON.stringify(next, null, 2))}
        />
      ) : (
        <div class="field">
          <label class="field-label" for={id}>
            A JSON object
          </label>
          <textarea
            id={id}
            class="mono"
            rows={12}
            spellcheck={false}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </div>
      )}
    </>
  )
}

interface CopyAsProps {
  readonly tool: ToolDetail
  readonly agent: string | null
  readonly text: Signal<string>
}

function CopyAs({ tool, agent, text }: CopyAsProps) {
  const shown = useRef<HTMLSpanElement>(null)
  async function copy(name: string): Promise<void> {
    const endpoint = me.value?.endpoint ?? ''
    const call = { server: tool.server, tool: tool.name, agent, args: text.peek(), endpoint }
    const copied = COPIES[name]?.(call) ?? ''
    try {
      await navigator.clipboard.writeText(copied)
      toast('Copied')
    } catch {
      if (shown.current) shown.current.textContent = copied
    }
  }
  return (
    <p class="copy-as small">
      Copy as{' '}
      {Object.keys(COPIES).map((name) => (
        <button key={name} type="button" class="quiet" onClick={() => void copy(name)}>
          {name}
        </button>
      ))}
      <span ref={shown} class="mono value" />
    </p>
  )
}

function readFields(text: string): Fields | undefined {
  if (hasLongNumber(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Recorded arguments are on one line, and may be cut. */
function pretty(json: string | undefined): string | undefined {
  const value = json === undefined ? undefined : readFields(json)
  return value === undefined ? json : JSON.stringify(value, null, 2)
}
