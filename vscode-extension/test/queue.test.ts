import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleQueue } from "../src/queue";

test("one job runs, one waits, the rest join it", async () => {
  const queue = new SingleQueue();
  const order: string[] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const first = queue.request(async () => {
    order.push("first");
    await gate;
  });
  const others = [1, 2, 3].map((n) => queue.request(async () => void order.push(`again ${n}`)));
  release();
  await Promise.all([first, ...others]);
  assert.deepEqual(order, ["first", "again 1"]);
});

test("a failed job does not block the next", async () => {
  const queue = new SingleQueue();
  await assert.rejects(queue.request(async () => Promise.reject(new Error("no"))));
  let ran = false;
  await queue.request(async () => void (ran = true));
  assert.ok(ran);
});

test("settled waits for what runs and what waits", async () => {
  const queue = new SingleQueue();
  await queue.settled();
  const done: number[] = [];
  void queue.request(async () => void done.push(1));
  void queue.request(async () => void done.push(2));
  await queue.settled();
  assert.deepEqual(done, [1, 2]);
});
