import { me } from '../../api/me.ts'
import { queried, setQuery } from '../../router.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Show } from '../../ui/show.tsx'
import { visible } from '../../ui/text/visible.ts'
import { Runner } from './runner.tsx'
import { type RunTarget, useTarget } from './use-target.ts'

/** Calls a tool by hand, as an agent would. */
export function RunPage() {
  const data = useTarget()
  return (
    <Page
      title="Run a tool"
      lead="An ordinary call, with the rights of the agent you choose: rules, questions and the audit apply"
    >
      <Show data={data}>{(target) => <Body target={target} />}</Show>
    </Page>
  )
}

function Body({ target }: { readonly target: RunTarget }) {
  const { tool, before } = target
  return (
    <>
      <Choice target={target} />
      {tool === undefined ? (
        <Empty title={queried('server') === '' ? 'Choose a server' : 'Choose a tool'}>
          {queried('server') !== '' && target.tools.length === 0
            ? 'This server has not listed its tools yet: test it on its page under Servers.'
            : 'Its arguments become a form. You can also run a recorded call again from its details.'}
        </Empty>
      ) : (
        <Runner
          key={`${tool.server} ${tool.name} ${before?.call.id ?? ''}`}
          tool={tool}
          before={before}
        />
      )}
    </>
  )
}

function Choice({ target: { servers, tools } }: { readonly target: RunTarget }) {
  const actAs = me.value?.actAs ?? []
  const server = queried('server')
  const none = { value: '', name: '–' }
  return (
    <div class="filters run-choice">
      <SelectField
        label="Server"
        value={JSON.stringify([server, queried('folder')])}
        choices={[
          { ...none, value: JSON.stringify(['', '']) },
          ...servers
            .filter(({ state }) => state !== 'disabled')
            .map(({ name, folder }) => ({
              value: JSON.stringify([name, folder ?? '']),
              name: folder === null ? name : `${name} (${folder})`,
            })),
        ]}
        onChange={(chosen) => {
          const [name, folder]: string[] = JSON.parse(chosen)
          setQuery({ server: name, folder, tool: undefined, call: undefined, at: undefined })
        }}
      />
      <SelectField
        label="Tool"
        value={queried('tool')}
        choices={[none, ...tools.map((name) => ({ value: name, name: visible(name) }))]}
        onChange={(tool) => setQuery({ tool, call: undefined, at: undefined })}
      />
      {actAs.length > 1 && (
        <SelectField
          label="As agent"
          value={queried('agent') || (actAs[0] ?? '')}
          choices={actAs.map((id) => ({ value: id, name: id }))}
          onChange={(agent) => setQuery({ agent })}
        />
      )}
    </div>
  )
}
