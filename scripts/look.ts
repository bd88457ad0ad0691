import { takeAuthenticator } from './pictures/authenticator-nopin.ts'
await takeAuthenticator('/tmp/phone/shots')
