import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { me } from '../../api/me.ts'
import { plural } from '../../format.ts'
import { Command } from '../../ui/text/command.tsx'
import { Panel } from '../../ui/panel.tsx'

/** For a new gateway: which servers it has, and how to connect the first client. */
export function FirstSteps({ figures }: { readonly figures: Overview }) {
  const endpoint = me.value?.endpoint ?? ''
  const entry = JSON.stringify({ mcpServers: { portolan: { type: 'http', url: endpoint } } })
  const { total } = figures.servers
  return (
    <Panel title="Nobody called anything yet" class="wide">
      <p>
        {total === 0 ? (
          <>
            There is no server behind this gateway yet. Add one with{' '}
            <code>portolan server add</code>, or move those of your clients here.
          </>
        ) : (
          <>
            <a href="/servers">{plural(total, 'server')}</a> behind this gateway. Connect a client,
            and each of its calls appears here within a second.
          </>
        )}
      </p>
      <ol class="steps">
        <li>
          Connect Claude Code (or another client, by its name):{' '}
          <Command
            text={`portolan connect claude-code${endpoint === '' ? '' : ` --url ${endpoint}`}`}
          />
        </li>
        <li>
          Or move the servers of all your clients behind Portolan and connect them, with an undo:{' '}
          <Command text="portolan adopt" />
        </li>
        {endpoint !== '' && (
          <li>
            Or add this to the settings of any MCP client: <Command text={entry} />
          </li>
        )}
      </ol>
    </Panel>
  )
}
