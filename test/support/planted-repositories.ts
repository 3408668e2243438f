import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Fills a new folder, so that git creates a file `mark…` if it does what the folder says. */
type Plant = (folder: string, mark: string) => void

/** Repositories as somebody else may hand them over, in an archive or inside a clone. */
export const PLANTED_REPOSITORIES: Readonly<Record<string, Plant>> = {
  'an archive with .git/config'(folder, mark) {
    makeRepository(folder)
    write(folder, { '.git/config': settings(mark) })
  },
  'a bare repository as a folder of a clone'(folder, mark) {
    const inner = join(folder, 'docs')
    makeRepository(inner)
    for (const name of ['HEAD', 'config', 'objects', 'refs', 'index'])
      renameSync(join(inner, '.git', name), join(inner, name))
    execFileSync('rm', ['-rf', join(inner, '.git')])
    write(inner, { config: settings(mark, 'bare = false\n\tworktree = .') })
    execFileSync('git', ['init', '-q', folder])
    execFileSync('git', ['-C', folder, 'add', '-A'])
  },
  'a .git file that leads to another folder'(folder, mark) {
    makeRepository(folder)
    renameSync(join(folder, '.git'), join(folder, 'modules'))
    write(folder, { '.git': 'gitdir: modules\n', 'modules/config': settings(mark) })
  },
  'settings in an included file'(folder, mark) {
    makeRepository(folder)
    write(folder, {
      '.git/config': `${CORE}[include]\n\tpath = ../shared.config\n`,
      'shared.config': settings(mark),
    })
  },
  'settings of the working tree'(folder, mark) {
    makeRepository(folder)
    write(folder, {
      '.git/config': `${CORE}[extensions]\n\tworktreeConfig = true\n`,
      '.git/config.worktree': settings(mark),
    })
  },
  'a working tree that is elsewhere'(folder, mark) {
    makeRepository(folder)
    write(folder, { '.git/config': settings(mark, `worktree = ${join(folder, '..')}`) })
  },
  'objects that a remote has'(folder, mark) {
    makeRepository(folder)
    const commit = '1'.repeat(40)
    const remote = `url = ${folder}\n\tpromisor = true\n\tuploadpack = "${touch(mark)}"`
    write(folder, {
      '.git/config': `${CORE}[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\t${remote}\n`,
      '.git/refs/heads/main': `${commit}\n`,
    })
  },
  'a remote that is a command'(folder, mark) {
    makeRepository(folder)
    const remote = `url = ext::touch ${mark}\n\tpromisor = true`
    write(folder, {
      '.git/config': `${CORE}[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\t${remote}\n`,
      '.git/refs/heads/main': `${'1'.repeat(40)}\n`,
    })
  },
  'an option in place of a commit'(folder, mark) {
    makeRepository(folder)
    write(folder, { '.git/refs/heads/main': `--output=${mark}\n` })
  },
  'an option in place of the head'(folder, mark) {
    makeRepository(folder)
    write(folder, { '.git/HEAD': `--output=${mark}\n` })
  },
}

const CORE = '[core]\n\trepositoryFormatVersion = 1\n'

/** Every setting by which git starts a program. */
function settings(mark: string, core = ''): string {
  const command = `"${touch(mark)}"`
  const all = {
    core: 'fsmonitor sshCommand pager editor askPass gitProxy alternateRefsCommand',
    diff: 'external',
    'diff "x"': 'command textconv',
    'filter "x"': 'clean smudge process',
    'merge "x"': 'driver',
    pager: 'ls-files rev-list log status diff remote clone',
    gpg: 'program',
    'remote "origin"': 'uploadpack receivepack',
    uploadpack: 'packObjectsHook',
    sequence: 'editor',
    trailer: 'command',
  }
  const sections = Object.entries(all).map(
    ([section, keys]) =>
      `[${section}]\n${keys
        .split(' ')
        .map((key) => `\t${key} = ${command}\n`)
        .join('')}`,
  )
  const aliases = ['ls-files', 'rev-list', 'log', 'status', 'remote', 'clone'].map(
    (name) => `\t${name} = "!${touch(mark)}"\n`,
  )
  return `${CORE}\t${core}\n${sections.join('')}[core]\n\thooksPath = hooks\n[credential]\n\thelper = "!${touch(mark)}"\n[alias]\n${aliases.join('')}`
}

const touch = (mark: string): string => `touch ${mark}; false`

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true })
  write(folder, {
    'a.md': '# Alpha\n\nThe alpha valve opens at 3 bar.\n',
    'a.ts': 'export const alpha = 1\n',
    '.gitattributes': '* filter=x diff=x merge=x\n',
    '.gitignore': 'ignored.md\n',
    'ignored.md': '# Ignored\n\nNobody reads this.\n',
  })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
  git('-c', 'init.defaultBranch=main', 'init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'all')
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
