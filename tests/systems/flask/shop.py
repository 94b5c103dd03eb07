"""Orders: Flask, an ORM over a pool, JSON Web Tokens, and a poller; it passes no trace header on."""

import datetime
import itertools
import os
import threading
import time
import urllib.error
import urllib.request

import flask
import jwt
import sqlalchemy
from sqlalchemy import orm

ENGINE = sqlalchemy.create_engine(os.environ["SHOP_DATABASE"], pool_size=3, max_overflow=2,
                                  pool_pre_ping=True)
KEY = "the key of the shop, long enough for its hash"
POLLED = threading.Event()
Base = orm.declarative_base()
app = flask.Flask("shop")


class Customer(Base):
    __tablename__ = "customer"
    id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)
    name = sqlalchemy.Column(sqlalchemy.Text, nullable=False)
    orders = orm.relationship("Order", order_by="Order.id")


class Order(Base):
    __tablename__ = "purchase"
    id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)
    customer_id = sqlalchemy.Column(sqlalchemy.ForeignKey("customer.id"), nullable=False)
    article = sqlalchemy.Column(sqlalchemy.Text, nullable=False)
    state = sqlalchemy.Column(sqlalchemy.Text, nullable=False, default="new")


def reserve(article):
    """What the stock says: its status."""
    request = urllib.request.Request(os.environ["STOCK"] + f"/articles/{article}/reservations",
                                     b"{}", {"Content-Type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as refused:
        return refused.code


def who_asks():
    token = flask.request.headers["Authorization"].partition("Bearer ")[2]
    return int(jwt.decode(token, KEY, algorithms=["HS256"])["sub"])


@app.get("/health")
def health():
    return {}, 200 if POLLED.is_set() else 503


@app.post("/login")
def log_in():
    with orm.Session(ENGINE) as session:
        customer = Customer(name=flask.request.json["name"])
        session.add(customer)
        session.commit()
        claims = {"sub": str(customer.id), "exp": datetime.datetime.now(datetime.timezone.utc) +
                  datetime.timedelta(seconds=60)}
        return {"token": jwt.encode(claims, KEY, "HS256")}


@app.post("/orders")
def order():
    with orm.Session(ENGINE) as session:
        customer = session.get(Customer, who_asks())
        made = Order(customer_id=customer.id, article=flask.request.json["article"])
        session.add(made)
        session.flush()
        status = reserve(made.article)
        if status != 201:
            session.rollback()
            return {}, status
        made.state = "reserved"
        session.commit()
        return {"order": made.id}, 201


@app.get("/orders")
def orders():
    with orm.Session(ENGINE) as session:
        customer = session.get(Customer, who_asks(), options=[orm.selectinload(Customer.orders)])
        return {"orders": [f"{each.article} {each.state}" for each in customer.orders]}


def poll():
    """Over the pool that requests use: what is reserved is made ready."""
    for number in itertools.count():
        with orm.Session(ENGINE) as session:
            for each in session.query(Order).filter(Order.state == "due").all():
                each.state = "ready"
            session.commit()
        if number == 3:
            POLLED.set()
        time.sleep(0.05)


if __name__ == "__main__":
    threading.Thread(target=poll, daemon=True).start()
    app.run("127.0.0.1", int(os.environ["SHOP_PORT"]), threaded=True)
