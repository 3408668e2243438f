import { useSignal } from '@preact/signals'
import type { ServerDetail, ServerProbe } from '../../../../src/dashboard/contract/servers.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { formatMs, formatWhole, plural } from '../../format.ts'
import { toast } from '../../ui/notice/toasts.tsx'
import { Prose } from '../../ui/text/prose.tsx'
import { RemoveServer } from './remove-server.tsx'

const TEST_MS = 60_000

interface ServerButtonsProps {
  readonly server: ServerDetail
  readonly onRemoved: () => void
  readonly onChanged: () => void
}

function canRestart({ kind, state }: ServerDetail): boolean {
  return (kind === 'stdio' || kind === 'http') && state !== 'disabled'
}

/** What an admin may do with a server as a whole. */
export function ServerButtons({ server, onRemoved, onChanged }: ServerButtonsProps) {
  const probe = useSignal<ServerProbe | undefined>(undefined)
  if (!isAdmin()) return null
  return (
    <>
      <p class="buttons">
        {server.state !== 'disabled' && server.folder === null && (
          <ActionButton
            name="Test"
            perform={async () => {
              const params = { server: server.name }
              const answer = await ask('POST /servers/:server/test', {
                params,
                body: { timeoutMs: TEST_MS },
              })
              probe.value = answer
              onChanged()
              return answer.error === undefined ? `${server.name} answers` : undefined
            }}
          />
        )}{' '}
        <RestartButton server={server} /> <EnableButton server={server} />{' '}
        <SignInButton server={server} />{' '}
        {server.file !== null && server.folder === null && (
          <RemoveServer name={server.name} file={server.file} onRemoved={onRemoved} />
        )}
      </p>
      {probe.value !== undefined && <Probe probe={probe.value} />}
    </>
  )
}

function Probe({ probe: { ms, tools, tokens, error, nextStep } }: { readonly probe: ServerProbe }) {
  return (
    <p class={error === undefined ? 'small' : 'failure'} role="status">
      {error ??
        `Answered in ${formatMs(ms)}: ${plural(tools ?? 0, 'tool')}, ${formatWhole(tokens ?? 0)} tokens`}
      {nextStep !== undefined && (
        <>
          {' '}
          <Prose text={nextStep} />
        </>
      )}
    </p>
  )
}

/** Only where the server has asked for it; the Connections page has all others. */
function SignInButton({
  server: { name, kind, state, folder },
}: {
  readonly server: ServerDetail
}) {
  if (kind !== 'http' || state !== 'down' || folder !== null) return null
  return (
    <button
      type="button"
      onClick={() =>
        void act(async () => {
          const { address } = await ask('POST /connections/:server/sign-in', {
            params: { server: name },
          })
          window.location.assign(address)
        })
      }
    >
      Sign in
    </button>
  )
}

function RestartButton({ server }: { readonly server: ServerDetail }) {
  const { name } = server
  if (!canRestart(server)) return null
  return (
    <ActionButton
      name="Restart"
      perform={async () => {
        await ask('POST /servers/:server/restart', { params: { server: name } })
        return `${name} is restarting`
      }}
    />
  )
}

/** Only for servers of a file: built-in servers are switched in the settings. */
function EnableButton({ server }: { readonly server: ServerDetail }) {
  const { name, file, state, folder } = server
  if (file === null || folder !== null) return null
  const enabled = state === 'disabled'
  return (
    <ActionButton
      name={enabled ? 'Enable' : 'Disable'}
      perform={async () => {
        const params = { server: name }
        const answer = await ask('POST /servers/:server/enabled', { params, body: { enabled } })
        return `${name} is ${enabled ? 'enabled' : 'disabled'} in ${answer.file}`
      }}
    />
  )
}

interface ActionButtonProps {
  readonly name: string
  /** Returns the text to show when it is done, if any. */
  readonly perform: () => Promise<string | undefined>
}

function ActionButton({ name, perform }: ActionButtonProps) {
  const busy = useSignal(false)
  async function run(): Promise<void> {
    busy.value = true
    await act(async () => {
      const text = await perform()
      if (text !== undefined) toast(text)
    })
    busy.value = false
  }
  return (
    <button type="button" disabled={busy.value} onClick={() => void run()}>
      {name}
    </button>
  )
}
