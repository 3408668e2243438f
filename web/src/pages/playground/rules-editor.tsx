import { Panel } from '../../ui/panel.tsx'

export type ParsedRules =
  | { readonly state: 'whole'; readonly rules: unknown }
  | { readonly state: 'broken'; readonly rules?: undefined; readonly problem: string }

export function parseRules(text: string): ParsedRules {
  try {
    return { state: 'whole', rules: JSON.parse(text) }
  } catch (error) {
    return { state: 'broken', problem: error instanceof Error ? error.message : String(error) }
  }
}

interface RulesEditorProps {
  readonly inForce: { readonly path: string | null; readonly rules: unknown } | undefined
  /** Undefined while the rules in force are used. */
  readonly draft: string | undefined
  readonly problem: string | undefined
  readonly onChange: (draft: string | undefined) => void
}

const FIRST_RULES = { agents: {}, defaults: { deny_on_missing_agent: true } }

/** Rules to evaluate instead of those in force; they exist in this page only. */
export function RulesEditor({ inForce, draft, problem, onChange }: RulesEditorProps) {
  function start(): void {
    onChange(JSON.stringify(inForce?.rules ?? FIRST_RULES, null, 2))
  }
  return (
    <Panel
      title={draft === undefined ? 'Rules in force' : 'Edited rules'}
      aside={
        draft === undefined ? (
          <button type="button" onClick={start}>
            Edit a copy
          </button>
        ) : (
          <button type="button" onClick={() => onChange(undefined)}>
            Back to the rules in force
          </button>
        )
      }
    >
      {draft === undefined ? (
        <InForce inForce={inForce} />
      ) : (
        <>
          <textarea
            class={`editor ${problem === undefined ? '' : 'broken'}`}
            aria-label="Edited rules, as JSON"
            aria-invalid={problem !== undefined}
            spellcheck={false}
            rows={Math.min(28, Math.max(10, draft.split('\n').length + 1))}
            value={draft}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          {problem !== undefined && (
            <p class="bad-text" role="alert">
              Not JSON yet: {problem}
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

function InForce({ inForce }: Pick<RulesEditorProps, 'inForce'>) {
  if (inForce === undefined) return <p class="small">Loading…</p>
  if (inForce.path === null)
    return (
      <p class="small">
        There is no <code>.mcp-gateway-rules.json</code>: every agent may call everything. Edit a
        copy to see what rules would change.
      </p>
    )
  return (
    <>
      <p class="small clip">
        <code>{inForce.path}</code>
      </p>
      <pre class="block" tabIndex={0}>
        {JSON.stringify(inForce.rules, null, 2)}
      </pre>
    </>
  )
}
