/**
 * The libraries of `second-factor serve`, without the service: a server that cannot start sooner or with less memory. Plain
 * JavaScript, because stripping types takes Node 10 MB.
 */
import { createServer } from 'node:http'

import Sqlite from 'better-sqlite3'
import 'commander'
import 'otpauth'
import { pino } from 'pino'

import '../../dist/parts/kysely.js'
import '../../dist/parts/zod.js'

const database = new Sqlite(process.env.DATABASE, { readonly: true })
const tables = database.prepare('select count(*) as tables from sqlite_master')
const server = createServer((_req, res) => void res.end(JSON.stringify(tables.get())))
server.listen(0, '127.0.0.1', () => {
  pino().info({}, 'started')
  console.log(`listens on http://127.0.0.1:${server.address().port}`)
})
