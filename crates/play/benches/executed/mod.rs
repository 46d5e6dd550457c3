//! Bouts that an executor of this machine plays, as a tournament has them played.

use joust_model::BoutPlan;
use joust_play::executor::{Assignment, Delivery, Executor, ExecutorEvent, Local, Needs};
use tokio::sync::mpsc;

/// Has all bouts played, and gives what was delivered.
pub(crate) async fn run(executor: &Local, plans: Vec<BoutPlan>) -> Vec<Delivery> {
    let (assignments, given) = mpsc::channel(plans.len().max(1));
    let (sender, mut events) = mpsc::channel(plans.len().max(1));
    let executing = tokio::spawn(executor.execute(given, sender));
    for plan in plans {
        let assignment = Assignment::new(plan, Needs::default());
        assignments.send(assignment).await.expect("the executor takes plans");
    }
    drop(assignments);
    let mut deliveries = Vec::new();
    while let Some(event) = events.recv().await {
        if let ExecutorEvent::Delivered(delivery) = event {
            deliveries.push(*delivery);
        }
    }
    executing.await.expect("nobody panics").expect("nothing is lost");
    deliveries
}
