import type { ServerDetail } from '../../../../src/dashboard/contract/servers.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { queried, setQuery } from '../../router.ts'
import { Segments } from '../../ui/fields.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Show } from '../../ui/show.tsx'
import { EditEntry } from './edit-entry.tsx'
import { Review } from './review.tsx'
import { ServerButtons } from './server-buttons.tsx'
import { ServerFacts } from './server-facts.tsx'
import { ServerTools } from './server-tools.tsx'

interface ServerDetailsProps {
  readonly name: string | undefined
  /** The folder that alone has it. */
  readonly folder: string | undefined
  readonly onClose: () => void
}

/** One server beside the list: its state, tools, held changes and entry. */
export function ServerDetails({ name, folder, onClose }: ServerDetailsProps) {
  return (
    <Dialog title={name ?? 'Server'} side open={name !== undefined} onClose={onClose}>
      {name !== undefined && (
        <Body key={`${name} ${folder ?? ''}`} name={name} folder={folder} onRemoved={onClose} />
      )}
    </Dialog>
  )
}

interface BodyProps {
  readonly name: string
  readonly folder: string | undefined
  readonly onRemoved: () => void
}

function Body({ name, folder, onRemoved }: BodyProps) {
  const query = folder === undefined ? {} : { folder }
  const data = useData(
    `${name} ${folder ?? ''}`,
    async (signal) => ask('GET /servers/:server', { params: { server: name }, query, signal }),
    3_000,
  )
  return (
    <Show data={data}>
      {(server) => <Detail server={server} onRemoved={onRemoved} onChanged={data.refresh} />}
    </Show>
  )
}

interface DetailProps {
  readonly server: ServerDetail
  readonly onRemoved: () => void
  readonly onChanged: () => void
}

function Detail({ server, onRemoved, onChanged }: DetailProps) {
  const { name, description, heldCount, tools } = server
  const hasEntry = server.file !== null && server.folder === null
  const isReviewed = (server.kind === 'stdio' || server.kind === 'http') && server.folder === null
  const tabs = [
    { value: '', name: 'State' },
    { value: 'tools', name: `Tools (${tools.length})` },
    ...(isReviewed ? [{ value: 'review', name: `Held (${heldCount})` }] : []),
    ...(hasEntry ? [{ value: 'entry', name: 'Entry' }] : []),
  ]
  const wanted = queried('tab')
  const tab = tabs.some(({ value }) => value === wanted) ? wanted : ''
  return (
    <>
      {description !== null && <p>{description}</p>}
      <Segments
        label={`Parts of ${name}`}
        choices={tabs}
        value={tab}
        onChange={(value) => setQuery({ tab: value, tool: undefined })}
      />
      {tab === '' && (
        <>
          <ServerButtons server={server} onRemoved={onRemoved} onChanged={onChanged} />
          <ServerFacts server={server} />
        </>
      )}
      {tab === 'tools' && <ServerTools server={server} onChanged={onChanged} />}
      {tab === 'review' && <Review server={name} onDecided={onChanged} />}
      {tab === 'entry' && <EditEntry server={name} />}
    </>
  )
}
