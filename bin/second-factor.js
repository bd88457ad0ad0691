#!/usr/bin/env node
// Plain JavaScript, committed: it can say what is missing before anything is built, and on an old Node.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = file('../dist/cli/main.js')
// In a clone: the Node that the development dependencies bring.
const newerNode = file(`../node_modules/node/bin/node${process.platform === 'win32' ? '.exe' : ''}`)

/** `ask` exits with 1 for a denied action: a script must not take a command that cannot start for an answer. */
const failed = process.argv[2] === 'ask' ? 3 : 1

if (process.env.npm_command) endWithParent()

if (!existsSync(program)) fail('second-factor is not built yet. Run: npm run build')
else if (isNewEnough(process.versions.node)) await load()
else if (existsSync(newerNode)) runBy(newerNode)
else fail(`second-factor needs Node 22.12 or later; this is ${process.versions.node}. Install a newer one.`)

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12)
}

async function load() {
  try {
    await import(new URL('../dist/cli/main.js', import.meta.url).href)
  } catch (error) {
    // A package is missing, or not all of this one was installed.
    fail(error)
  }
}

/** The same command in another Node: same streams, same signals, same end. */
function runBy(node) {
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', () => fail(`${node} cannot be run. Run: npm ci`))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? failed : 128)
  })
}

/**
 * npm and npx start commands in a shell, and some shells do not hand SIGTERM on: the command would live on and keep its
 * port. The system gives a process whose parent ended another parent; then this one ends in order, too.
 */
function endWithParent() {
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }
  const timer = setInterval(look, 250)
  timer.unref()
}

function fail(message) {
  console.error(message)
  process.exitCode = failed
}

function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}
