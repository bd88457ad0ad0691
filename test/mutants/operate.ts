import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'a secret that is given twice is refused',
    file: 'src/cli/serve/secret-files.ts',
    find: 'if (env[name]) throw',
    replace: 'if (env[name] === file) throw',
    test: 'cli/secret-files.test.ts',
    title: 'a secret in a file is rejected in one line when %s',
  },
  {
    defense: 'commands read the secrets that are in files',
    file: 'src/cli/main.ts',
    find: 'readSecretFiles(process.env)',
    replace: 'readSecretFiles({})',
    test: 'cli/secret-files.test.ts',
    title: 'secrets in files open the database without --database and MFA_KEYS',
  },
  ...page(),
  ...deployment(),
]

/** What the page says is what works. */
function page(): readonly Mutant[] {
  const test = 'processes/operations.long.ts'
  return [
    {
      defense: 'the page installs all that the service needs',
      file: 'docs/operations.md',
      find: '--omit=dev second-factor better-sqlite3 pg pino',
      replace: '--omit=dev second-factor pg pino',
      test,
      title: 'one node set up by docs/operations.md serves an app, is backed up, restored and upgraded',
    },
    {
      defense: 'the restore of the page reads the log',
      file: 'docs/operations.md',
      find: 'sudo second-factor restore "$backup" --revocations /var/backups/second-factor/service.log',
      replace: 'sudo second-factor restore "$backup" --yes',
      test,
      title: 'one node set up by docs/operations.md serves an app, is backed up, restored and upgraded',
    },
    {
      defense: 'the page leaves the umask as it is',
      file: 'docs/operations.md',
      find: 'install -m 600 /dev/null app-key.txt\n',
      replace: 'umask 077\n',
      test,
      title: 'one node set up by docs/operations.md serves an app, is backed up, restored and upgraded',
    },
    {
      defense: 'the page keeps the key of the app to its owner',
      file: 'docs/operations.md',
      find: 'install -m 600 /dev/null app.env\n',
      replace: '',
      test,
      title: 'one node set up by docs/operations.md serves an app, is backed up, restored and upgraded',
    },
    {
      defense: 'the nodes of the page listen on addresses of their own',
      file: 'docs/operations.md',
      find: "printf '[Socket]\\nListenStream=\\nListenStream=%s:8787\\n' 10.0.0.11",
      replace: "printf '[Socket]\\nListenStream=\\nListenStream=%s:8788\\n' 10.0.0.11",
      test,
      title: 'three nodes set up by docs/operations.md start, answer for each other, and restart one after another',
    },
    {
      defense: 'every block of commands is followed by a test',
      file: 'test/support/operations/page.ts',
      find: "  'PgBouncer',\n",
      replace: '',
      test,
      title: 'docs/operations.md has only commands that tests run',
    },
    {
      defense: 'the page shows the files as they are',
      file: 'deploy/second-factor.service',
      find: 'RestartSec=1',
      replace: 'RestartSec=2',
      test,
      title: 'docs/operations.md shows $file exactly',
    },
    {
      defense: 'the page explains messages of the program',
      file: 'src/cli/commands/restore.ts',
      find: 'Stop them first.',
      replace: 'Stop those first.',
      test,
      title: 'docs/operations.md explains only messages that exist',
    },
  ]
}

function deployment(): readonly Mutant[] {
  const test = 'house/deploy.test.ts'
  return [
    {
      defense: 'nginx closes idle connections before the drain ends',
      file: 'deploy/nginx.conf',
      find: 'keepalive_timeout 4s;',
      replace: 'keepalive_timeout 60s;',
      test,
      title: 'nginx.conf closes connections to the service before a drain ends',
    },
    {
      defense: 'nginx takes a 503 to another node',
      file: 'deploy/nginx.conf',
      find: 'proxy_next_upstream error timeout http_503 non_idempotent;',
      replace: 'proxy_next_upstream error timeout;',
      test,
      title: 'nginx.conf sends a request that a draining node did not take to another node',
    },
    {
      defense: 'nginx sends no synchronization again',
      file: 'deploy/nginx.conf',
      find: 'proxy_next_upstream off;',
      replace: '',
      test,
      title: 'nginx.conf sends a synchronization once, without buffering it',
    },
    {
      defense: 'nginx collects no synchronization',
      file: 'deploy/nginx.conf',
      find: 'proxy_request_buffering off;',
      replace: '',
      test,
      title: 'nginx.conf sends a synchronization once, without buffering it',
    },
    {
      defense: 'nginx replaces the address that a caller names',
      file: 'deploy/nginx.conf',
      find: 'X-Forwarded-For $remote_addr;',
      replace: 'X-Forwarded-For $http_x_forwarded_for;',
      test,
      title: 'nginx.conf overwrites the headers about the origin of a request',
    },
    {
      defense: 'systemd waits for the drain',
      file: 'deploy/second-factor.service',
      find: 'TimeoutStopSec=30',
      replace: 'TimeoutStopSec=5',
      test,
      title: 'compose.yaml waits for a drain to end before it kills the service',
    },
    {
      defense: 'the unit makes the file system read-only',
      file: 'deploy/second-factor.service',
      find: 'ProtectSystem=strict\n',
      replace: '',
      test,
      title: 'the systemd unit runs as an unprivileged user that can write only to its own data',
    },
    {
      defense: 'the image names a user',
      file: 'Dockerfile',
      find: 'USER 10001:10001\n',
      replace: '',
      test,
      title: 'the Dockerfile runs the service as a user who owns only the data',
    },
    {
      defense: 'the service in compose.yaml has a read-only file system',
      file: 'compose.yaml',
      find: '    init: true\n    read_only: true\n',
      replace: '    init: true\n',
      test,
      title: 'compose.yaml gives %s no privileges and a read-only file system',
    },
    {
      defense: 'compose.yaml reads the keys from a file',
      file: 'compose.yaml',
      find: 'MFA_KEYS_FILE: /run/secrets/keys',
      replace: 'MFA_KEYS: k1:secret',
      test,
      title: 'compose.yaml gives %s no secret in its environment',
    },
  ]
}
