import { useSignal } from '@preact/signals'
import { formatMs, formatWhole } from '../../format.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ToolResult } from '../../ui/result/tool-result.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { Prose } from '../../ui/text/prose.tsx'
import { lineDiff } from './line-diff.ts'
import type { RunOutcome } from './outcome.ts'

/** The newest answer, and beside it another one to compare it with. */
export function Outcomes({ outcomes }: { readonly outcomes: readonly RunOutcome[] }) {
  const chosen = useSignal<string | undefined>(undefined)
  const [newest, ...others] = outcomes
  if (newest === undefined)
    return <Empty title="No run yet">The result appears here, as people read it.</Empty>
  const other = others.find(({ call }) => call === chosen.value) ?? others[0]
  return (
    <>
      {other !== undefined && (
        <div class="filters">
          <SelectField
            label={`Compare ${newest.name} with`}
            value={other.call}
            choices={others.map(({ call, name }) => ({ value: call, name }))}
            onChange={(call) => (chosen.value = call)}
          />
          <Difference one={other} other={newest} />
        </div>
      )}
      <div class={other === undefined ? '' : 'side-by-side'}>
        {other !== undefined && <Outcome outcome={other} />}
        <Outcome outcome={newest} />
      </div>
      {other !== undefined && <Changes one={other} other={newest} />}
    </>
  )
}

interface PairProps {
  readonly one: RunOutcome
  readonly other: RunOutcome
}

function Difference({ one, other }: PairProps) {
  if (one.result === null && other.result !== null && one.error === null)
    return <span class="small">The result of the recorded call was not kept.</span>
  const isSame = textOf(one) === textOf(other)
  return <Badge tone={isSame ? 'ok' : 'warn'}>{isSame ? 'same result' : 'results differ'}</Badge>
}

function Changes({ one, other }: PairProps) {
  const [before, after] = [textOf(one), textOf(other)]
  if (before === after || before === '' || after === '') return null
  const lines = lineDiff(before, after)
  return lines === undefined ? null : <Diff path={`${one.name} → ${other.name}`} lines={lines} />
}

function textOf({ result, error }: RunOutcome): string {
  if (result === null) return error?.message ?? ''
  try {
    const { _meta, ...rest }: Record<string, unknown> = JSON.parse(result)
    return JSON.stringify(rest, null, 2)
  } catch {
    return result
  }
}

function Outcome({ outcome }: { readonly outcome: RunOutcome }) {
  const { name, call, at, agent, result, error, isCut, durationMs, tokenCount } = outcome
  const isOk = outcome.outcome === 'ok'
  const query = new URLSearchParams({ call, ...(at !== null && { at }) }).toString()
  return (
    <Panel
      title={name}
      aside={
        <>
          {formatMs(durationMs)}
          {tokenCount !== null && ` · ${formatWhole(tokenCount)} tokens`}
        </>
      }
    >
      <p class="outcome-line">
        <Badge tone={isOk ? 'ok' : 'bad'}>{outcome.outcome}</Badge>{' '}
        <span class="dim">as {agent ?? 'unknown'}</span>{' '}
        <a href={`/calls?${query}`}>Its entry in the record</a>
      </p>
      {error !== null && (
        <div class="failure" role="alert">
          <p class="empty-title">{error.message}</p>
          {error.rule !== null && (
            <p>
              Rule <code>{error.rule}</code>
            </p>
          )}
          {error.approval === null
            ? error.hint !== null && (
                <p>
                  <Prose text={error.hint} />
                </p>
              )
            : outcome.outcome === 'APPROVAL_PENDING' && (
                <p>
                  <a href="/approvals">Approvals</a> shows the question. Run it again once a person
                  has answered.
                </p>
              )}
        </div>
      )}
      {result !== null && <ToolResult label={`Result of ${name}`} text={result} />}
      {isCut && <p class="small">Only the beginning of a long result is here.</p>}
    </Panel>
  )
}
