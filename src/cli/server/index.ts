import type { Command } from '@commander-js/extra-typings'
import { withConfigOptions } from '../shared/config-options.ts'
import { durationOption } from '../shared/terminal/option-values.ts'

/** `portolan server …`: commands on single servers behind the gateway. */
export function registerServer(program: Command): void {
  const server = program
    .command('server')
    .description('add, remove, test and inspect single servers')
  server
    .command('list')
    .description('list the servers, with their state if a gateway is running')
    .option('--mcp <path>', 'servers file, instead of the ones that are found')
    .option('--json', 'print them as JSON on stdout')
    .action(async (flags) => (await import('./list-servers.ts')).listServers(flags))
  server
    .command('search')
    .description('search the MCP registry for servers')
    .argument('<words...>', 'words of the name, the title or the description')
    .option('--json', 'print them as JSON on stdout')
    .action(async (words, flags) => (await import('./search-servers.ts')).search(words, flags))
  server
    .command('add')
    .description(
      'add a server, once it has started and listed its tools: `add files -- npx -y @modelcontextprotocol/server-filesystem .`',
    )
    .argument(
      '<name>',
      'its name; or alone: io.github.owner/name[@version] of the registry, a URL, JSON as READMEs print it, or - for JSON from stdin',
    )
    .argument(
      '[command...]',
      'the program of the server and its arguments, after --; or one of the above',
    )
    .showHelpAfterError(
      'Give the command after two dashes: portolan server add files -- npx -y some-server',
    )
    .option('--url <url>', 'URL of a remote server, instead of a command')
    .option('--openapi <file>', 'file or URL of the OpenAPI description of an API, or an API pack')
    .option('--builtin <server>', 'a server that comes with Portolan, such as code')
    .option(
      '-e, --env <NAME=value...>',
      'environment variables of the command, and values that a registry asks for; keys are stored separately',
    )
    .option('-H, --header <name:value...>', 'headers for --url; keys are stored separately')
    .option('--description <text>', 'what it is for')
    .option(
      '--sandbox',
      'run its command in a sandbox of bubblewrap, on Linux; the default for a registry where that is installed',
    )
    .option('--no-sandbox', 'run it with all your rights')
    .option('--remote', 'connect to the remote server that a registry names, and start no package')
    .option('--no-test', 'add it without starting it')
    .addOption(durationOption('--timeout <duration>', 'how long its start may take', '2m'))
    .option('--project', 'add it to this folder (.mcp.json), instead of to all your folders')
    .option('--mcp <path>', 'servers file to write')
    .action(async (name, command, flags) =>
      (await import('./add-server.ts')).add(name, command, flags),
    )
  server
    .command('remove')
    .description('remove a server from its file')
    .argument('<name>')
    .option('--keys', 'remove the stored keys too that no other server here uses')
    .option('--mcp <path>', 'servers file, instead of the ones that are found')
    .action(async (name, flags) => (await import('./run-server.ts')).change('remove', name, flags))
  for (const verb of ['enable', 'disable'] as const)
    server
      .command(verb)
      .description(DESCRIPTIONS[verb])
      .argument('<name>')
      .option('--mcp <path>', 'servers file, instead of the ones that are found')
      .action(async (name, flags) => (await import('./run-server.ts')).change(verb, name, flags))
  withConfigOptions(server.command('test'))
    .description(
      'connect to a server once, and list its tools; through the running gateway, if there is one',
    )
    .argument('<name>')
    .addOption(durationOption('--timeout <duration>', 'how long it may take', '20s'))
    .action(async (name, flags) => (await import('./run-server.ts')).test(name, flags))
  withConfigOptions(server.command('tools'))
    .description('show how agents see the tools of a server, or change that')
    .argument('<name>')
    .option('--edit', 'open what its entry says about tools in your editor ($VISUAL or $EDITOR)')
    .option('--json', 'print them as JSON on stdout')
    .addOption(durationOption('--timeout <duration>', 'how long the start may take', '20s'))
    .action(async (name, flags) => (await import('./server-tools.ts')).tools(name, flags))
  withConfigOptions(server.command('logs'))
    .description('show the last stderr output of a server of the running gateway')
    .argument('<name>')
    .action(async (name, flags) => (await import('./run-server.ts')).logs(name, flags))
  withConfigOptions(server.command('review'))
    .description('show what has changed at a server and is held; accept or reject it')
    .argument('<name>')
    .option('--accept [names...]', 'use the changes of these tools and prompts, or all')
    .option('--reject [names...]', 'never use these changes, or any of those that are held')
    .option('--json', 'print what is held as JSON on stdout')
    .action(async (name, flags) => (await import('./review.ts')).review(name, flags))
  withConfigOptions(server.command('upgrade'))
    .description('show what the newest version of a server of npx changes, and use it from now on')
    .argument('<name>')
    .option('-y, --yes', 'use it without a question')
    .option('--json', 'print the changes as JSON on stdout; with --yes, use it as well')
    .addOption(durationOption('--timeout <duration>', 'how long each start may take', '60s'))
    .action(async (name, flags) => (await import('./upgrade.ts')).upgrade(name, flags))
  withConfigOptions(server.command('restart'))
    .description(
      'restart a server of the running gateway, and wait until it answers; calls under way finish first',
    )
    .argument('<name>')
    .addOption(durationOption('--timeout <duration>', 'how long the start may take', '20s'))
    .action(async (name, flags) => (await import('./run-server.ts')).restart(name, flags))
  withConfigOptions(server.command('login'))
    .description('sign in to a remote server in the browser')
    .argument('<name>')
    .addOption(durationOption('--timeout <duration>', 'how long to wait for the browser', '5m'))
    .option('--no-browser', 'show the address, and do not open a browser')
    .action(async (name, flags) => (await import('./login.ts')).login(name, flags))
}

const DESCRIPTIONS = {
  enable: 'enable a server that was disabled',
  disable: 'disable a server, and keep it in its file',
}
