import type { MailWords } from './en.ts'

export const ja: MailWords = {
  code: {
    headline: (place) => `${place}のコード`,
    use: (minutes) => `コードを要求したページで入力してください。${minutes}分間、1回だけ使えます。`,
    warning: '心当たりがなければ、パスワードを変更してください。',
  },
  changes: {
    device_added: (place) => `${place}：デバイスが追加されました`,
    device_replaced: (place) => `${place}：デバイスが交換されました`,
    device_removed: (place) => `${place}：デバイスが削除されました`,
    app_added: (place) => `${place}：認証アプリが追加されました`,
    app_replaced: (place) => `${place}：認証アプリが交換されました`,
    app_removed: (place) => `${place}：認証アプリが削除されました`,
    hardware_added: (place) => `${place}：ハードウェアトークンが追加されました`,
    hardware_removed: (place) => `${place}：ハードウェアトークンが削除されました`,
    passkey_added: (place) => `${place}：パスキーが追加されました`,
    passkey_removed: (place) => `${place}：パスキーが削除されました`,
    codes_made: (place) => `${place}：新しいリカバリーコードが作成されました`,
    codes_removed: (place) => `${place}：リカバリーコードが削除されました`,
    unlocked: (place) => `${place}：コードとサインインのリクエストのロックが解除されました`,
    signed_out: (place) => `${place}：すべてのアプリからサインアウトされました`,
    browser_kept: (place) => `${place}：ブラウザーが追加されました`,
    reset: (place) => `${place}：2段階目の認証手段がリセットされました`,
  },
  reported: {
    headline: (place) => `${place}へのサインインを報告しました`,
    sentence:
      '誰もサインインしていません。リクエストは15分間ブロックされます。その間はコードでサインインしてください。',
    warning: 'パスワードを知られている可能性があります。変更してください。',
  },
  locked: {
    headline: (place) => `${place}のコードはロックされています`,
    sentence: '間違ったコードが何度も入力されました。',
    until: (time) => `${time}から、またコードを使えます。`,
    unlock: 'ロックを解除できるのは管理者だけです。',
    warning: '心当たりがなければ、パスワードを知られている可能性があります。変更してください。',
  },
  caller: {
    headline: (place) => `${place}について、何者かがヘルプデスクに電話している可能性があります`,
    sentence: (user) => `ヘルプデスクが${user}さんに電話の本人確認をしたところ、「いいえ」と回答がありました。`,
    blocked: 'ヘルプデスクは24時間、このユーザーについて何も変更できません。所有者と管理者は変更できます。',
    warning: 'すでに知っている番号で、本人に電話してください。',
  },
  enrollment: {
    headline: (place) => `${place}のサインインを設定してください`,
    first: 'スマートフォンでこのリンクを開いてください。今後のサインインを確認するデバイスを設定します。',
    another: 'スマートフォンでこのリンクを開いてください。サインインを確認する別のデバイスを設定します。',
    button: 'このデバイスを設定',
    scan: 'パソコンでご覧の場合は、スマートフォンのカメラでコードを読み取ってください。',
    until: (time) => `このリンクは${time}まで、1回だけ使えます。`,
    warning: 'このメールを転送しないでください。リンクを知っている人は、あなたの名前でデバイスを設定できます。',
  },
  addressChanged: {
    headline: (place) => `${place}のメールアドレスが変更されました`,
    sentence: '今後のメールは新しいアドレスに届きます。このアドレスに送られたリンクとコードは使えなくなりました。',
  },
  bulk: {
    headline: (place) => `${place}の多数の利用者が変更されています`,
    sentence: (name, people) => `${name}さんが${people}人の利用者に対する操作を開始しました。`,
    total: (name, people) => `24時間で、${name}さんは${people}人の利用者に対する操作を行いました。`,
    warning: '心当たりがない場合は、コンソールの「利用者」の「一括操作」で中止してください。',
    revoke: '心当たりがない場合は、コンソールの「管理者」でアクセス権を取り消してください。',
  },
  time: (time) => `日時：${time}`,
  tell: '心当たりがなければ、管理者に知らせてください。',
}
