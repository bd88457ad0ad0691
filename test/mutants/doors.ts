import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [...radius(), ...ssh(), ...openvpn(), ...gate()]

function radius(): readonly Mutant[] {
  const test = 'long/doors-radius.long.ts'
  const file = 'deploy/freeradius/policy.d/second_factor'
  return [
    {
      defense: 'RADIUS compares the signature of State',
      file,
      find: ' && "%{hmacsha1:&control:Second-Factor-Signed &control:Second-Factor-Secret}" == "%{control:Second-Factor-Text}") {',
      replace: ') {',
      test,
      title: 'a State that was changed, is too old or belongs to somebody else is worth nothing',
    },
    {
      defense: 'RADIUS rejects what passed no second factor',
      file: 'deploy/freeradius/sites-available/second-factor',
      find: '\t\tsecond_factor_guard\n',
      replace: '',
      test,
      title: 'RADIUS accepts nobody whose password was checked by a line that does not ask for the second factor',
    },
    {
      defense: 'RADIUS joins no login to an earlier one on the same port',
      file,
      find: '&control:Second-Factor-Result != "down" && &control:Second-Factor-Until < &control:Second-Factor-Time) {',
      replace: '&control:Second-Factor-Result == "never") {',
      test,
      title: 'a login on the same port after the first one is asked again, whether the first approval was used or not',
    },
    {
      defense: 'RADIUS accepts no code again that was used minutes ago',
      file,
      find: '&control:Second-Factor-Result == "approved" && &control:Second-Factor-Until < &control:Second-Factor-Time) {',
      replace: '&control:Second-Factor-Result == "never") {',
      test,
      title: 'a code that was used counts for repetitions of its own login alone, for five seconds',
    },
    {
      defense: 'RADIUS joins no logins of clients that name no port',
      file,
      find: 'if (!&Acct-Session-Id && (!&NAS-Port || &NAS-Port == 0)) {',
      replace: 'if (&User-Name == "nobody") {',
      test,
      title: 'two equal requests of a client without ports are two logins',
    },
    ...[
      ['NAS-Identifier', 'gateway'],
      ['Calling-Station-Id', 'address'],
      ['NAS-Port', 'port'],
      ['Acct-Session-Id', 'accounting session'],
    ].map(([attribute, what]) => ({
      defense: `RADIUS joins no logins from another ${what}`,
      file,
      find: `%{sha256:%{${attribute}}}`,
      replace: '',
      test,
      title: 'a login from %s gets a request of its own, and nothing from the approval of the first',
    })),
    {
      defense: 'RADIUS repeats a request with the same key',
      file,
      find: '&REST-HTTP-Header += "Idempotency-Key: radius-%{control:Second-Factor-Key}"',
      replace: '&REST-HTTP-Header += "Idempotency-Key: radius-%{randstr:hhhhhhhhhh}"',
      test,
      title: 'ten repetitions of one login, each with a new id and authenticator, at two servers, reach the phone once',
    },
    {
      defense: 'RADIUS sends no attributes of the login with a question',
      file,
      find: '\tupdate {\n\t\t&reply: !* ANY\n\t}\n',
      replace: '',
      test,
      title:
        'radclient logs in with a password, a number on the phone and Enter, and gets the attributes with the Accept only',
    },
    {
      defense: 'RADIUS checks the certificate of the service',
      file: 'deploy/freeradius/second-factor/service.conf',
      find: 'check_cert = yes',
      replace: 'check_cert = no',
      test,
      title: 'RADIUS accepts nobody while the service is down or its certificate is another',
    },
    {
      defense: 'RADIUS authenticates its questions',
      file,
      find: '\t\t&Message-Authenticator := 0x00\n\t}\n\tif (&control:Second-Factor-Session == "-") {',
      replace: '\t}\n\tif (&control:Second-Factor-Session == "-") {',
      test,
      title: 'RADIUS drops requests without a Message-Authenticator, and every answer has one',
    },
    {
      defense: 'RADIUS takes a request off the phone when nobody waits for it',
      file,
      find: '\t\t\t# Nobody waits for an approval any more.\n\t\t\tsecond_factor_withdraw\n',
      replace: '',
      test,
      title: 'RADIUS in mode poll rejects after four questions, and takes the request off the phone',
    },
  ]
}

function ssh(): readonly Mutant[] {
  const test = 'long/doors-ssh.long.ts'
  return [
    {
      defense: 'PAM denies a login without the second factor',
      file: 'deploy/ssh/pam-second-factor',
      find: 'auth requisite pam_exec.so quiet expose_authtok',
      replace: 'auth optional pam_exec.so quiet expose_authtok',
      test,
      title: 'ssh denies whom the phone denies',
    },
    {
      defense: 'sshd asks for the second factor only after the key',
      file: 'deploy/ssh/sshd-second-factor.conf',
      find: 'AuthenticationMethods publickey,keyboard-interactive',
      replace: 'AuthenticationMethods keyboard-interactive',
      test,
      title: 'ssh asks nobody without the public key',
    },
  ]
}

function openvpn(): readonly Mutant[] {
  const test = 'long/doors-openvpn.long.ts'
  return [
    {
      defense: 'OpenVPN compares the username with the certificate',
      file: 'deploy/openvpn/second-factor-auth',
      find: '[ "$user" = "${common_name:-}" ] || exit 1\n',
      replace: '',
      test,
      title: 'OpenVPN asks nobody for a person with the certificate of another',
    },
    {
      defense: 'OpenVPN waits for the phone',
      file: 'deploy/openvpn/second-factor-auth',
      find: '\tif decide; then',
      replace: '\tif decide || true; then',
      test,
      title: 'OpenVPN tells whom the phone denies that the second factor was not approved',
    },
    {
      defense: 'OpenVPN also compares the username with the certificate when the client sends a token',
      file: 'deploy/openvpn/second-factor-auth',
      find: '[ "$user" = "${common_name:-}" ] || exit 1\n',
      replace: '[ "$session_state" = Authenticated ] || [ "$user" = "${common_name:-}" ] || exit 1\n',
      test,
      title: 'OpenVPN accepts a token only with the certificate of the person who got it',
    },
    {
      defense: 'OpenVPN has processes for all who wait',
      file: 'deploy/openvpn/second-factor-limits.conf',
      find: 'LimitNPROC=4096',
      replace: 'LimitNPROC=10',
      test,
      title: 'OpenVPN asks people while many others have not answered, within the limits of its systemd unit',
    },
    {
      defense: 'OpenVPN gives clients a token for renegotiations',
      file: 'deploy/openvpn/server.conf',
      find: 'auth-gen-token 43200 3600 external-auth\nauth-gen-token-secret /etc/openvpn/auth-token.key\n',
      replace: '',
      test,
      title:
        'OpenVPN connects after the phone has approved, serves others meanwhile, and asks nobody when it renegotiates',
    },
  ]
}

function gate(): readonly Mutant[] {
  const test = 'examples/gate.test.ts'
  const file = 'examples/gate.js'
  const door = 'long/doors-gate.long.ts'
  const headers = 'keeps its headers, whatever a browser names in Connection or writes with underscores'
  const passes = 'the gate says 204 after the second step, and only to the proxy, for the user who passed'
  return [
    {
      defense: 'the gate compares the key of the proxy',
      file,
      find: 'if (!isProxy || !timingSafeEqual(key, keyHash))',
      replace: 'if (!isProxy)',
      test,
      title: passes,
    },
    {
      defense: 'the gate compares the address of the proxy',
      file,
      find: 'if (!isProxy || !timingSafeEqual(key, keyHash))',
      replace: 'if (!timingSafeEqual(key, keyHash))',
      test,
      title: 'the gate believes no other address than that of the proxy',
    },
    {
      defense: 'the gate asks for the second step',
      file,
      find: 'req.mfa?.verified ? 204 : 403',
      replace: 'req.mfa ? 204 : 403',
      test,
      title: passes,
    },
    {
      defense: 'the gate keeps web sessions in a file',
      file,
      find: '    store: new SqliteSessions(SESSIONS),\n',
      replace: '',
      test: door,
      title: 'the gate keeps web sessions over a restart, in cookies that only HTTPS sends',
    },
    {
      defense: 'nginx asks the gate',
      file: 'deploy/gate/nginx.conf',
      find: '\t\tauth_request /gate/check;\n',
      replace: '',
      test: door,
      title: 'leads to the challenge, back to the address that was wanted, and then to the app',
    },
    {
      defense: 'nginx replaces the name of the user',
      file: 'deploy/gate/gate-headers.conf',
      find: 'proxy_set_header X-Remote-User $remote_user;\n',
      replace: '',
      test: door,
      title: 'serves nobody else with the cookies of a person who has passed',
    },
    {
      defense: 'nginx keeps the key of the gate from the app',
      file: 'deploy/gate/nginx.conf',
      find: '\t\tproxy_set_header X-Gate-Key "";\n',
      replace: '\t\tproxy_set_header X-Gate-Key "GATE-KEY";\n',
      test: door,
      title: 'leads to the challenge, back to the address that was wanted, and then to the app',
    },
    {
      defense: 'Apache asks the gate',
      file: 'deploy/gate/apache.conf',
      find: '"!=yes"',
      replace: '"=never"',
      test: door,
      title: 'sends nothing to the app without a second step at the address %s',
    },
    {
      defense: 'gate-map.js ends a question at a line feed alone',
      file: 'deploy/gate/gate-map.js',
      find: "split('\\n')",
      replace: 'split(/\\n|%e2%80%a8/)',
      test: door,
      title: 'Apache gets one answer of the gate for each question, whatever bytes are in names and cookies',
    },
    {
      defense: 'Apache replaces the name of the user',
      file: 'deploy/gate/apache.conf',
      find: '\tRequestHeader set X-Remote-User "expr=%{REMOTE_USER}"\n',
      replace: '',
      test: door,
      title: 'serves nobody else with the cookies of a person who has passed',
    },
    ...['X_Remote_User', 'X-Remote_User', 'X_Remote-User'].map((header) => ({
      defense: `Apache removes ${header}, which apps read as the name of the user`,
      file: 'deploy/gate/apache.conf',
      find: `\tRequestHeader unset ${header}\n`,
      replace: '',
      test: door,
      title: headers,
    })),
    {
      defense: 'Apache lets no browser remove the headers that it sets',
      file: 'deploy/gate/apache.conf',
      find: '\tRequestHeader unset Connection\n',
      replace: '',
      test: door,
      title: headers,
    },
    {
      defense: 'nginx drops headers with underscores',
      file: 'deploy/gate/nginx.conf',
      find: 'underscores_in_headers off;',
      replace: 'underscores_in_headers on;',
      test: door,
      title: headers,
    },
    ...[
      ['Apache', 'apache.conf', '\tRequestHeader unset X-Forwarded-Host\n'],
      ['nginx', 'nginx.conf', '\t\tproxy_set_header X-Forwarded-Host $http_host;\n'],
    ].map(([name, config = '', find = '']) => ({
      defense: `${name} replaces the host that a browser makes up`,
      file: `deploy/gate/${config}`,
      find,
      replace: '',
      test: door,
      title: 'tells the app no address that a browser made up',
    })),
    {
      defense: 'Apache sends the key of the gate by the path that it uses, not by the one that was sent',
      file: 'deploy/gate/apache.conf',
      find: '\t<Location "/">\n\t\tSetEnvIf Request_URI "^/(mfa(/|$)|gate/logout$)" GATE=1\n\t</Location>\n',
      replace: '\tSetEnvIf Request_URI "^/(mfa(/|$)|gate/logout$)" GATE=1\n',
      test: door,
      title: 'keeps the key of the gate from the app at the address %s',
    },
    {
      defense: 'Apache answers no TRACE',
      file: 'deploy/gate/apache.conf',
      find: '\tTraceEnable Off\n',
      replace: '',
      test: door,
      title: 'shows nobody a request of the proxy by TRACE at %s',
    },
    {
      defense: 'the gate turns self-enrollment off',
      file,
      find: "selfEnrollment: SELF_ENROLLMENT === 'on'",
      replace: 'selfEnrollment: true',
      test,
      title: 'the gate lets people without a factor set one up, unless that is turned off',
    },
  ]
}
