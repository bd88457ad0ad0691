const ofUser = '(select u.sequence from "user" u where u.id = new.user_id)'

/** The triggers that give a new membership the sequence of its user. */
export const sqliteMemberOrder: readonly string[] = [
  `create trigger member_order_added after insert on membership begin
    update membership set user_sequence = ${ofUser} where sequence = new.sequence;
  end`,
]

export const postgresMemberOrder: readonly string[] = [
  `create function member_order_added() returns trigger language plpgsql as $$ begin
    new.user_sequence := ${ofUser}; return new;
  end $$`,
  `create trigger member_order_added before insert on membership
    for each row execute function member_order_added()`,
]
