#!/usr/bin/env node
import { Command } from 'commander'
import { defineNsipSearch } from './api/nsip-search/index.ts'
import { reportFailure } from './report-failure.ts'
import { guardTerminal, endWithReader } from './shared/terminal/guard-terminal.ts'

endWithReader()
guardTerminal(process.stdout)
guardTerminal(process.stderr)
defineNsipSearch(new Command('nsip-search')).parseAsync().catch(reportFailure)
