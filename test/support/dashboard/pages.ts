export interface KnownPage {
  readonly name: string
  readonly path: string
  /** The shortcut: `g`, then this letter. */
  readonly key: string
  /** A selector that matches once the page shows its data. */
  readonly ready: string
}

/** Every page of the dashboard, with something to show on it. */
export const PAGES: readonly KnownPage[] = [
  { name: 'overview', path: '/', key: 'o', ready: '[data-figure="calls"]' },
  { name: 'calls', path: '/calls', key: 'l', ready: '.virtual-body .virtual-row' },
  { name: 'servers', path: '/servers', key: 's', ready: 'tbody tr' },
  { name: 'run', path: '/run?server=files&tool=echo', key: 'x', ready: '.run-form' },
  { name: 'connections', path: '/connections', key: 'n', ready: '.page h1' },
  { name: 'agents', path: '/agents', key: 'a', ready: '.matrix .cell' },
  { name: 'access', path: '/access', key: 'y', ready: '.page h1' },
  {
    name: 'playground',
    path: '/playground?agent=grace&server=files&tool=crash',
    key: 'p',
    ready: '[data-verdict]',
  },
  { name: 'audit', path: '/audit', key: 'u', ready: '.virtual-body .virtual-row' },
  { name: 'costs', path: '/costs', key: 'm', ready: 'tbody tr' },
  { name: 'config', path: '/config', key: 'f', ready: 'tbody tr' },
  { name: 'history', path: '/history', key: 'h', ready: '.page h1' },
  { name: 'code', path: '/code?q=shopping+cart', key: 'c', ready: '.hit' },
  { name: 'knowledge', path: '/knowledge?q=linings', key: 'k', ready: '.hit' },
  { name: 'traces', path: '/traces', key: 't', ready: '.trace' },
  { name: 'scripts', path: '/scripts', key: 'r', ready: '.panel .empty, .panel tbody tr' },
]
