import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { issue, openCertificates } from '../../example-app/https/certificate.ts'
import { KeyPair } from '../../example-app/https/key-pair.ts'
import { root } from '../../scripts/run.ts'
import { readBlocks } from '../support/operations/page.ts'
import { openShell } from '../support/operations/shell.ts'
import type { Shell } from '../support/operations/shell.ts'
import { freePort } from '../support/service-nodes.ts'

const apiKey = `A${'1b2'.repeat(21)}`
const headers = { authorization: `Service key="${apiKey}"` }
/** Programs of Java run for a moment: without the optimizing compiler and parallel garbage collection they take half as long. */
const java = { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' }
const installed = (program: string, flag = '--version') =>
  spawnSync(program, [flag], { env: { ...process.env, ...java } }).status === 0
const hasJava = installed('java') && installed('keytool', '-help')

/** A Python of this machine that has the library, if there is one: Debian's packages are only in Debian's own Python. */
const pythonWith = (library: string) =>
  ['python3', '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', `import ${library}`], { stdio: 'ignore' }).status === 0,
  )

/** Variables by which a machine may preset authorities or proxies. The page is followed on a machine without them. */
const presets =
  /^(SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE|HTTPLIB2_CA_CERTS|NODE_EXTRA_CA_CERTS|(JDK_)?_?JAVA_OPTIONS|(https?|all|no)_proxy)$/i

const withoutPresets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !presets.test(name)))

let folder: string
let shell: Shell
let ports: { readonly https: number; readonly http: number }
/** The output of the commands below each heading. */
const printed: Record<string, string> = {}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-clients-'))
  ports = { https: await freePort(), http: await freePort() }
  writeFileSync(join(folder, 'users.csv'), 'username,name,email\nalice,Alice,alice@example.com\nbob,Bob,\n')
  writePrograms(join(folder, 'bin'))
  shell = openShell(folder, {
    ...withoutPresets(process.env),
    ...java,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    present_key: apiKey,
  })
  const blocks = readBlocks(readFileSync(join(root, 'docs/existing-clients.md'), 'utf8'))
  for (const { code, section, class: kind } of blocks) {
    if (kind === 'java' && !hasJava) continue
    printed[section] = (printed[section] ?? '') + (await follow(code))
  }
})
afterAll(async () => {
  await shell.run('kill -KILL $(jobs -p)')
  shell.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('docs/existing-clients.md', () => {
  it('the guide for existing clients imports the API key and the domain id, and connects clients over HTTPS and HTTP', () => {
    expect(printed['Import the API key and the domain id']).toContain('0123456789abcdef0123456789abcdef01234567')
    expect(printed['Check the connection']?.match(/\{"status":"OK"\}/g)).toHaveLength(2)
  })

  it('the guide for existing clients imports users and issues their activation codes', () => {
    const moved = printed['What your users have to do'] ?? ''

    expect(moved).toMatch(/https:\/\/mfa\.example\/authenticator\/#code=[a-z0-9]{10}/)
    expect(moved).toMatch(/\bbob\b/)
  })

  it('the guide for existing clients names the causes of failed connections', async () => {
    const api = `http://127.0.0.1:${ports.http}`

    const status = async (path: string, authorization: string) =>
      (await fetch(`${api}${path}`, { headers: { authorization } })).status
    expect(await status('/api/ping', `Other key="${apiKey}"`)).toBe(401)
    expect(await status('/api/ping', 'Service key="another"')).toBe(401)
    expect(await status('/other/ping', headers.authorization)).toBe(404)
    expect(installed('curl') ? await shell.run(`${curlHttps} || echo exit $?`) : 'exit 60').toContain('exit 60')
  })

  it('the guide for existing clients makes Python trust the certificate authority', async () => {
    const answer = installed('python3') ? await shell.run('SSL_CERT_FILE=ca.pem python3 ping.py') : '"OK"'

    expect(answer).toContain('"OK"')
  })

  it.each([
    ['requests', 'REQUESTS_CA_BUNDLE'],
    ['httplib2', 'HTTPLIB2_CA_CERTS'],
  ])(
    'the guide for existing clients makes the Python library %s trust the certificate authority',
    async (library, variable) => {
      const python = pythonWith(library)
      const ping = async (env: string) =>
        python ? shell.run(`${env} ${python} ping-${library}.py 2>&1 || true`) : undefined

      expect((await ping(`${variable}=ca.pem`)) ?? '"OK"').toContain('"OK"')
      expect((await ping('SSL_CERT_FILE=ca.pem')) ?? 'CERTIFICATE_VERIFY_FAILED').toContain('CERTIFICATE_VERIFY_FAILED')
    },
  )

  it('the guide for existing clients names no variable for libcurl, which reads the trust store of the system', async () => {
    const python = hasLibcurl ? pythonWith('ctypes') : undefined
    const ping = async (code: string) =>
      python ? shell.run(code.replace('PING', `${python} ping-libcurl.py`)) : undefined

    expect((await ping('SSL_CERT_FILE=ca.pem CURL_CA_BUNDLE=ca.pem PING')) ?? 'result 60').toContain('result 60')
    const inStore = `unshare --mount sh -c 'mount --bind ca.pem ${debianStore} && PING'`
    expect((canMount ? await ping(inStore) : undefined) ?? '"OK"').toContain('"OK"')
  })

  it('the guide for existing clients makes Java trust the certificate authority', async () => {
    const trust = '-Djavax.net.ssl.trustStore=mfa.p12 -Djavax.net.ssl.trustStorePassword=changeit'
    const answer = hasJava ? await shell.run(`java ${trust} Ping.java`) : '"OK"'

    expect(answer).toContain('"OK"')
  })
})

/** The file that `update-ca-certificates` writes. A mount that only one program sees shows what the service's authority in it does. */
const debianStore = '/etc/ssl/certs/ca-certificates.crt'
const hasLibcurl =
  existsSync(debianStore) &&
  spawnSync('python3', ['-c', 'import ctypes; ctypes.CDLL("libcurl.so.4")'], { stdio: 'ignore' }).status === 0
const canMount = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0

const curlHttps = 'curl --silent https://mfa.example:8443/api/ping'

/** Runs the commands of one block. `serve` stays in the background, on a port that is free. */
async function follow(code: string): Promise<string> {
  if (code.includes('openssl') && !installed('openssl', 'version')) return createCertificates()
  if (!code.includes('second-factor serve')) return shell.run(code)
  const port = code.includes('--tls-cert') ? ports.https : ports.http
  const log = `serve-${port}.log`
  return shell.run(
    `${code.replace(/ --port \d+/, '')} --port ${port} > ${log} 2>&1 &\n` +
      `until grep --quiet 'listens on' ${log}; do kill -0 $! && sleep 0.1; done`,
  )
}

/** Creates the files of the page's openssl commands, without openssl. */
async function createCertificates(): Promise<string> {
  const { authority } = await openCertificates(folder, ['mfa.example'], Math.floor(Date.now() / 1000))
  const { certificate, key } = await issue(
    KeyPair.parse(JSON.parse(readFileSync(join(folder, 'authority.json'), 'utf8'))),
    ['mfa.example'],
  )
  writeFileSync(join(folder, 'ca.pem'), authority.toString())
  writeFileSync(join(folder, 'cert.pem'), certificate)
  writeFileSync(join(folder, 'key.pem'), key)
  return ''
}

/** Replaces `npx` with the built package, and `curl` with one that resolves the host of the page to this machine. */
function writePrograms(bin: string): void {
  const write = (name: string, code: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${code}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  mkdirSync(bin)
  write('npx', `shift; exec "${process.execPath}" "${join(root, 'bin/second-factor.js')}" "$@"`)
  const curl = spawnSync('sh', ['-c', 'command -v curl']).stdout.toString().trim()
  const [https, http] = [`mfa.example:8443:127.0.0.1:${ports.https}`, `127.0.0.1:8787:127.0.0.1:${ports.http}`]
  writeFileSync(join(folder, 'curl.mjs'), curlInNode)
  if (curl) write('curl', `exec ${curl} --connect-to ${https} --connect-to ${http} "$@"`)
  else write('curl', `exec "${process.execPath}" "${join(folder, 'curl.mjs')}" ${ports.https} ${ports.http} "$@"`)
  writeFileSync(join(folder, 'ping.py'), pingInPython(ports.https))
  writeFileSync(join(folder, 'ping-requests.py'), pingByRequests(ports.https))
  writeFileSync(join(folder, 'ping-httplib2.py'), pingByHttplib2(ports.https))
  writeFileSync(join(folder, 'ping-libcurl.py'), pingByLibcurl(ports.https))
  writeFileSync(join(folder, 'Ping.java'), pingInJava(ports.https))
}

/** `curl [--cacert FILE] --header H URL`, for machines without curl. */
const curlInNode = `
import { readFileSync } from 'node:fs'
import { get as http } from 'node:http'
import { get as https } from 'node:https'
const [httpsPort, httpPort, ...words] = process.argv.slice(2)
const url = new URL(words.at(-1))
const [name, value] = words[words.indexOf('--header') + 1].split(': ')
const settings = { host: '127.0.0.1', path: url.pathname, headers: { [name]: value } }
if (url.protocol === 'http:') http({ ...settings, port: httpPort }, (answer) => answer.pipe(process.stdout))
else {
  const ca = readFileSync(words[words.indexOf('--cacert') + 1])
  https({ ...settings, port: httpsPort, servername: url.hostname, ca }, (answer) => answer.pipe(process.stdout))
}
`

/** The host of the page is this machine. */
const resolved = `
import socket
resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *more, **named: resolve('127.0.0.1', *more, **named)
connect = socket.socket.connect
socket.socket.connect = lambda self, address: connect(self, ('127.0.0.1', address[1]))
`

const pingInPython = (port: number) => `${resolved}
import urllib.request
request = urllib.request.Request('https://mfa.example:${port}/api/ping', headers={'Authorization': 'Service key="${apiKey}"'})
print(urllib.request.urlopen(request).read().decode())
`

const pingByRequests = (port: number) => `${resolved}
import requests
print(requests.get('https://mfa.example:${port}/api/ping', headers={'Authorization': 'Service key="${apiKey}"'}).text)
`

const pingByHttplib2 = (port: number) => `${resolved}
import httplib2
print(httplib2.Http().request('https://mfa.example:${port}/api/ping', headers={'Authorization': 'Service key="${apiKey}"'})[1].decode())
`

/** The library itself, as a client in C loads it, and not the command. It writes the answer to the standard output. */
const pingByLibcurl = (port: number) => `
import ctypes
curl = ctypes.CDLL('libcurl.so.4')
curl.curl_easy_init.restype = curl.curl_slist_append.restype = ctypes.c_void_p
easy = ctypes.c_void_p(curl.curl_easy_init())
def option(number, value): curl.curl_easy_setopt(easy, ctypes.c_int(number), value)
def words(text): return ctypes.c_void_p(curl.curl_slist_append(None, text))
option(10002, b'https://mfa.example:${port}/api/ping')
option(10203, words(b'mfa.example:${port}:127.0.0.1'))
option(10023, words(b'Authorization: Service key="${apiKey}"'))
print('result', curl.curl_easy_perform(easy))
`

/** Of an older Java as well: the host name of the certificate is checked, and the address is that of this machine. */
const pingInJava = (port: number) => `
import java.io.*;
import java.net.*;
import javax.net.ssl.*;
public class Ping {
  public static void main(String[] args) throws Exception {
    Socket plain = new Socket("127.0.0.1", ${port});
    SSLSocket socket = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(plain, "mfa.example", ${port}, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    String head = "GET /api/ping HTTP/1.1\\r\\nHost: mfa.example\\r\\nAuthorization: ${headers.authorization.replaceAll('"', '\\"')}\\r\\nConnection: close\\r\\n\\r\\n";
    socket.getOutputStream().write(head.getBytes("ISO-8859-1"));
    BufferedReader answer = new BufferedReader(new InputStreamReader(socket.getInputStream()));
    for (String line; (line = answer.readLine()) != null; ) System.out.println(line);
  }
}
`
