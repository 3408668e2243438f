import { useSignal } from '@preact/signals'
import { ask } from '../../api/ask.ts'
import { asAgent } from '../../api/me.ts'
import { startJob } from '../../api/start-job.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'

export function IngestForm({ onStarted }: { readonly onStarted: () => void }) {
  const location = useSignal('')
  const collection = useSignal('')

  async function start(): Promise<void> {
    const into = collection.value.trim()
    const body = {
      location: location.value.trim(),
      ...(into !== '' && { collection: into }),
      ...asAgent(),
    }
    if (!(await startJob(ask('POST /knowledge/ingest', { body })))) return
    location.value = ''
    onStarted()
  }

  return (
    <Form class="filters inside" submit={start}>
      <TextField
        label="Add a document"
        placeholder="An address, a git repository, a file or a folder"
        {...boundTo(location)}
      />
      <TextField label="Collection" placeholder="default" {...boundTo(collection)} />
      <button type="submit" disabled={location.value.trim() === ''}>
        Add
      </button>
    </Form>
  )
}
