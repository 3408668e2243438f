import { toast } from '../notice/toasts.tsx'

/** A command for the reader's shell, with a copy button. */
export function Command({ text }: { readonly text: string }) {
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      toast('Copied')
    } catch {
      toast('The browser does not let pages copy here: select the text instead', 'warn')
    }
  }
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        Copy
      </button>
    </span>
  )
}
