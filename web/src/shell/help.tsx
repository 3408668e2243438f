import { me } from '../api/me.ts'
import { ROUTES, isFor } from '../routes.ts'
import { Dialog } from '../ui/notice/dialog.tsx'
import { helpOpen } from './shortcuts.ts'

export function Help() {
  return (
    <Dialog
      title="Keyboard"
      open={helpOpen.value}
      onClose={() => {
        helpOpen.value = false
      }}
    >
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search or filter this page</dd>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>Move through a list, as ↓ and ↑ do in one of calls; then Enter for the details</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Close what is open</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This help</dd>
        {ROUTES.filter((route) => isFor(route, me.value?.role)).map(({ key, name }) => [
          <dt key={key}>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>,
          <dd key={`${key}-name`}>{name}</dd>,
        ])}
      </dl>
    </Dialog>
  )
}
